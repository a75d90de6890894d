package lab.trace

import lab.show.Say

/** The part of a run that a [[Timeline]] shows, and how.
  *
  * {{{
  * val worst = spans.maxBy(_.queuedNanos)
  * val near = Interval(worst.submittedNanos - 10000000L, worst.endedNanos.get + 5000000L)
  * Timeline("It runs 0.6 ms and waits 38", Scene(spans, story = Some(worst), window = Some(near), kind = _.label.takeWhile(_ != ' '))).show()
  * }}}
  *
  * @param spans  what a [[Trace]] recorded
  * @param story  the task of `spans` that the picture is about. It has its own lane on top, and is red and hatched wherever it occurs; the
  *               words above it say what happens to it
  * @param window the stretch to show, in nanoseconds since the trace began, like the times of spans; without it, everything is shown. Tasks
  *               that began before it or end after it are drawn up to its edges. The chart's clock starts with the window
  * @param kind   the kind of a task ("report", "request"). Each kind has its own colour, and the second and third are also hatched; if it
  *               is empty, all running tasks look alike
  * @param notes  words at moments, in nanoseconds since the trace began
  */
final case class Scene(
    spans: Seq[TaskSpan],
    story: Option[TaskSpan] = None,
    window: Option[Interval] = None,
    kind: TaskSpan => String = _ => "",
    notes: Seq[(Long, String)] = Nil
) {

  /** Returns the stretch that is shown. Without a window, it reaches from the first submission to the last known moment. */
  private[trace] def shown: Interval = window.getOrElse {
    val from = spans.map(_.submittedNanos).minOption.getOrElse(0L)
    Interval(from, spans.flatMap(span => Seq(span.submittedNanos) ++ span.startedNanos ++ span.endedNanos).maxOption.getOrElse(from + 1))
  }

  /** Returns the spans that are visible in the window. */
  private[trace] def visible: Seq[TaskSpan] = window.fold(spans) { of =>
    spans.filter(span => span.submittedNanos < of.untilNanos && span.endedNanos.forall(_ > of.fromNanos))
  }

  /** Returns the last moment that the spans know of. Spans that haven't ended are drawn up to it. */
  private[trace] def lastNanos: Long = copy(window = None).shown.untilNanos

  /** Describes the story's task: "arrives, waits behind `report 3` (38 ms) and 4 others, runs 0.6 ms". */
  private[trace] def storyInWords: Option[String] = story.map { one =>
    val ahead = Summary.ahead(one, spans)
    val waited = ahead.maxByOption(_._2) match {
      case Some((longest, nanos)) =>
        val others = if (ahead.sizeIs > 1) s" and ${Say.count(ahead.size - 1, "other")}" else ""
        s"waits behind `${longest.label}` (${Say.nanos(nanos)})$others"
      case None => one.queuedNanos.filter(_ > 0).fold("has nobody ahead")(wait => s"has nobody ahead, waits ${Say.nanos(wait)}")
    }
    val ran = (one.startedNanos, one.ranNanos) match {
      case (None, _)              => "and still waits"
      case (Some(_), None)        => "and still runs"
      case (Some(_), Some(nanos)) => s"runs ${Say.nanos(nanos)}"
    }
    s"arrives, $waited, $ran"
  }
}

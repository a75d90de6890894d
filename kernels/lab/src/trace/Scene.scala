package lab.trace

import lab.show.Say

/** What of a run a [[Timeline]] shows, and how.
  *
  * {{{
  * val worst = spans.maxBy(_.queuedNanos)
  * val near = Interval(worst.submittedNanos - 10000000L, worst.endedNanos.get + 5000000L)
  * Timeline("It runs 0.6 ms and waits 38", Scene(spans, story = Some(worst), window = Some(near), kind = _.label.takeWhile(_ != ' '))).show()
  * }}}
  *
  * @param spans  what a [[Trace]] recorded
  * @param story  the one task that the picture is about, of `spans`: it has a lane of its own on top and is red and hatched wherever it
  *               occurs; above it stands what becomes of it
  * @param window the stretch to be shown, in nanoseconds since the trace began, as the times of spans are; all of it if there is none. Tasks
  *               that began before it or end after it are drawn up to its edges. The chart's clock starts with the window
  * @param kind   what kind of task it is ("report", "request"): each kind has a colour of its own, the second and third are hatched
  *               besides; where it is empty, all that runs looks alike
  * @param notes  words at moments, in nanoseconds since the trace began
  */
final case class Scene(
    spans: Seq[TaskSpan],
    story: Option[TaskSpan] = None,
    window: Option[Interval] = None,
    kind: TaskSpan => String = _ => "",
    notes: Seq[(Long, String)] = Nil
) {

  /** What is shown: from the first submission to the last thing known, if no window is given. */
  private[trace] def shown: Interval = window.getOrElse {
    val from = spans.map(_.submittedNanos).minOption.getOrElse(0L)
    Interval(from, spans.flatMap(span => Seq(span.submittedNanos) ++ span.startedNanos ++ span.endedNanos).maxOption.getOrElse(from + 1))
  }

  /** Those of which something is to be seen. */
  private[trace] def visible: Seq[TaskSpan] = window.fold(spans) { of =>
    spans.filter(span => span.submittedNanos < of.untilNanos && span.endedNanos.forall(_ > of.fromNanos))
  }

  /** The last moment that the spans know of, up to which those are drawn that haven't ended. */
  private[trace] def lastNanos: Long = copy(window = None).shown.untilNanos

  /** "arrives, stands behind `report 3` (38 ms) and 4 more, runs 0.6 ms". */
  private[trace] def storyInWords: Option[String] = story.map { one =>
    val ahead = Summary.ahead(one, spans)
    val waited = ahead.maxByOption(_._2) match {
      case Some((longest, nanos)) =>
        val others = if (ahead.sizeIs > 1) s" and ${Say.count(ahead.size - 1, "other")}" else ""
        s"stands behind `${longest.label}` (${Say.nanos(nanos)})$others"
      case None => one.queuedNanos.filter(_ > 0).fold("stands behind nobody")(wait => s"stands behind nobody, waits ${Say.nanos(wait)}")
    }
    val ran = (one.startedNanos, one.ranNanos) match {
      case (None, _)              => "and still waits"
      case (Some(_), None)        => "and still runs"
      case (Some(_), Some(nanos)) => s"runs ${Say.nanos(nanos)}"
    }
    s"arrives, $waited, $ran"
  }
}

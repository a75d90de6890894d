package lab.trace

import lab.show.{Say, Table}

/** Describes spans in words and as a table, for those who can't see the picture, and for everyone who checks it. */
object Summary {

  /** Sums the spans up in a sentence: "12 tasks on 2 threads; longest wait 41 ms behind `parse`". */
  def sentence(spans: Seq[TaskSpan]): String =
    if (spans.isEmpty) "no task"
    else {
      val threads = spans.flatMap(_.worker).distinct
      val spare = threads.count(_.spare)
      val waiting = spans.count(span => span.startedNanos.isEmpty && span.failure.isEmpty)
      val wait = spans.filter(_.queuedNanos.isDefined).maxByOption(_.queuedNanos).map { longest =>
        val behind = before(longest, spans).fold("")(previous => s" behind `${previous.label}`")
        s"longest wait ${Say.nanos(longest.queuedNanos.getOrElse(0L))}$behind"
      }
      Seq(
        Some(s"${Say.count(spans.size, "task")} on ${Say.count(threads.size, "thread")}"),
        Option.when(spare > 0)(s"$spare of them spare"),
        wait,
        Option.when(waiting > 0)(s"${Say.count(waiting, "task")} still waiting")
      ).flatten.mkString("; ")
    }

  /** Builds a table with one row per task, in order of submission, with times in milliseconds. If there are more than `most` tasks, only
    * the first are listed, and the caption says so.
    *
    * @param zeroNanos the moment that is called 0, in nanoseconds since the trace began, if a chart's clock begins elsewhere
    */
  def table(spans: Seq[TaskSpan], most: Int = 40, zeroNanos: Long = 0): Table = {
    def millis(nanos: Option[Long]): String =
      nanos.fold("–")(value => String.format(java.util.Locale.ROOT, "%.2f", Double.box(value / 1e6)))
    val left = spans.size - most
    Table(
      if (left > 0) s"The first $most of ${spans.size} tasks (ms)" else "Tasks (ms)",
      Seq("task", "submitted by", "ran on", "submitted at", "waited", "ran", "of which blocked"),
      spans.take(most).map { span =>
        val ranOn = span.worker.fold("–")(worker => worker.label + (if (worker.spare) " (spare)" else ""))
        Seq(
          span.label,
          span.submitter,
          ranOn,
          millis(Some(span.submittedNanos - zeroNanos)),
          millis(span.queuedNanos),
          millis(span.ranNanos),
          millis(Option.when(span.blocked.nonEmpty)(span.blockedNanos))
        )
      }
    )
  }

  /** Returns the tasks that occupied the thread of `span` while it waited, in order, and for how much of that time in nanoseconds. */
  private[trace] def ahead(span: TaskSpan, spans: Seq[TaskSpan]): Seq[(TaskSpan, Long)] = span.startedNanos.toSeq.flatMap { started =>
    for {
      other <- spans.sortBy(_.startedNanos) if other != span && other.worker == span.worker
      from <- other.startedNanos
      until <- other.endedNanos
      held = until.min(started) - from.max(span.submittedNanos) if held > 0
    } yield other -> held
  }

  /** Returns the task that occupied the thread of `span` until just before, if `span` was already waiting then. */
  private def before(span: TaskSpan, spans: Seq[TaskSpan]): Option[TaskSpan] = span.startedNanos.flatMap { started =>
    spans
      .filter(other => other.worker == span.worker && other.endedNanos.exists(end => end <= started && end > span.submittedNanos))
      .maxByOption(_.endedNanos)
  }
}

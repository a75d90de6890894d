package lab.trace

import com.google.gson.{JsonArray, JsonObject}

/** Spans in Chrome's trace event format, which ui.perfetto.dev and chrome://tracing open: a lane per thread with its tasks and, inside
  * them, their blocked stretches; each wait in a queue as an asynchronous event, since waits overlap. Times are microseconds, to the
  * nanosecond.
  *
  * Fields as in "Trace Event Format" (Google, Nat Duca and Dan Sinclair): `ph` is `M` for names, `X` for a stretch with a duration, `B` for
  * one that hasn't ended, `b` and `e` for the two ends of a wait, `i` for a moment.
  */
private[trace] object ChromeTrace {

  /** One process stands for the trace; its number means nothing. */
  private val process = 1
  private val noThread = 0L

  def json(spans: Seq[TaskSpan]): String = {
    val events = new JsonArray
    val workers = spans.flatMap(_.worker).distinctBy(_.id)
    events.add(name("process_name", noThread, "traced tasks"))
    workers.foreach(worker => events.add(name("thread_name", worker.id, worker.label + (if (worker.spare) " (spare)" else ""))))
    spans.zipWithIndex.foreach { case (span, index) => eventsOf(span, index).foreach(events.add(_: JsonObject)) }
    val whole = new JsonObject
    whole.add("traceEvents", events)
    whole.addProperty("displayTimeUnit", "ms")
    whole.toString
  }

  private def eventsOf(span: TaskSpan, index: Int): Seq[JsonObject] = {
    val wait = Seq(waitEnd("b", span, index, span.submittedNanos)) ++ span.startedNanos.map(waitEnd("e", span, index, _))
    val rejected = Option.when(span.worker.isEmpty && span.failure.isDefined) {
      val moment = event("i", s"${span.label} rejected", "task", noThread, span.submittedNanos, span)
      moment.addProperty("s", "p")
      moment
    }
    val ran = for (worker <- span.worker.toSeq; started <- span.startedNanos.toSeq; one <- stretches(span, worker.id, started)) yield one
    (if (rejected.isEmpty) wait else Nil) ++ rejected ++ ran
  }

  private def stretches(span: TaskSpan, thread: Long, started: Long): Seq[JsonObject] = span.endedNanos match {
    case None => Seq(event("B", span.label, "task", thread, started, span))
    case Some(ended) =>
      lasting(span.label, "task", thread, Interval(started, ended), span) +:
        span.blocked.map(pause => lasting("blocked", "blocked", thread, pause, span))
  }

  private def lasting(name: String, category: String, thread: Long, when: Interval, span: TaskSpan): JsonObject = {
    val one = event("X", name, category, thread, when.fromNanos, span)
    one.addProperty("dur", when.nanos / 1000.0)
    one
  }

  private def waitEnd(phase: String, span: TaskSpan, index: Int, nanos: Long): JsonObject = {
    val one = event(phase, s"${span.label} waits", "queue", noThread, nanos, span)
    one.addProperty("id", index + 1)
    one
  }

  private def event(phase: String, name: String, category: String, thread: Long, nanos: Long, span: TaskSpan): JsonObject = {
    val arguments = new JsonObject
    arguments.addProperty("submitted by", span.submitter)
    span.failure.foreach(cause => arguments.addProperty("failure", cause.toString))
    val one = base(phase, name, thread, arguments)
    one.addProperty("cat", category)
    one.addProperty("ts", nanos / 1000.0)
    one
  }

  private def name(kind: String, thread: Long, value: String): JsonObject = {
    val arguments = new JsonObject
    arguments.addProperty("name", value)
    base("M", kind, thread, arguments)
  }

  private def base(phase: String, name: String, thread: Long, arguments: JsonObject): JsonObject = {
    val one = new JsonObject
    one.addProperty("ph", phase)
    one.addProperty("name", name)
    one.addProperty("pid", process)
    one.addProperty("tid", thread)
    one.add("args", arguments)
    one
  }
}

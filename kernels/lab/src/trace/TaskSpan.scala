package lab.trace

/** From one moment to a later one, in nanoseconds since the trace began.
  *
  * @param fromNanos  when it began
  * @param untilNanos when it ended
  */
final case class Interval(fromNanos: Long, untilNanos: Long) {

  /** How long it was. */
  def nanos: Long = untilNanos - fromNanos
}

/** A thread as a trace saw it.
  *
  * @param name    empty for most virtual threads
  * @param id      the JVM's number for it
  * @param virtual whether it is a virtual thread
  * @param spare   whether it was one thread more than its `ForkJoinPool` has parallelism: see [[Trace.spans]] for the rule
  */
final case class Worker(name: String, id: Long, virtual: Boolean, spare: Boolean) {

  /** The thread's name; a virtual thread usually has none and is called after its number. */
  def label: String = if (name.nonEmpty) name else s"${if (virtual) "virtual" else "thread"}-$id"
}

/** What became of one task. Times are nanoseconds since the trace began.
  *
  * @param label          given with [[TracedContext.as]], or its number
  * @param submitter      the name of the thread that handed it over
  * @param worker         who ran it; `None` while it waits
  * @param submittedNanos when it was handed over
  * @param startedNanos   when its thread began it; `None` while it waits
  * @param endedNanos     when it had run, or was rejected; `None` until then
  * @param blocked        when it sat inside `scala.concurrent.blocking` or `Await`, in order
  * @param failure        what it threw at its executor (a failed `Future` throws nothing here), or why it was rejected
  */
final case class TaskSpan(
    label: String,
    submitter: String,
    worker: Option[Worker],
    submittedNanos: Long,
    startedNanos: Option[Long],
    endedNanos: Option[Long],
    blocked: Vector[Interval],
    failure: Option[Throwable]
) {

  /** How long it waited for a thread; `None` while it still does. */
  def queuedNanos: Option[Long] = startedNanos.map(_ - submittedNanos)

  /** How long it held its thread, blocked or not; `None` until it has ended. */
  def ranNanos: Option[Long] = for (started <- startedNanos; ended <- endedNanos) yield ended - started

  /** How long it was blocked, in all. */
  def blockedNanos: Long = blocked.map(_.nanos).sum

  /** The name of the thread that ran it, if one did. */
  def thread: Option[String] = worker.map(_.label)
}

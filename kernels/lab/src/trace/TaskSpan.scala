package lab.trace

/** A stretch of time, in nanoseconds since the trace began.
  *
  * @param fromNanos  when it began
  * @param untilNanos when it ended
  */
final case class Interval(fromNanos: Long, untilNanos: Long) {

  /** Returns its length in nanoseconds. */
  def nanos: Long = untilNanos - fromNanos
}

/** A thread in a trace.
  *
  * @param name    empty for most virtual threads
  * @param id      the JVM's number for it
  * @param virtual whether it is a virtual thread
  * @param spare   whether it was in excess of its `ForkJoinPool`'s parallelism: see [[Trace.spans]] for the rule
  */
final case class Worker(name: String, id: Long, virtual: Boolean, spare: Boolean) {

  /** Returns the thread's name. A virtual thread usually has none, and is named after its number. */
  def label: String = if (name.nonEmpty) name else s"${if (virtual) "virtual" else "thread"}-$id"
}

/** The history of one task. Times are nanoseconds since the trace began.
  *
  * @param label          the label from [[TracedContext.as]], or the task's number
  * @param submitter      the name of the thread that submitted it
  * @param worker         the thread that ran it; `None` while it waits
  * @param submittedNanos when it was submitted
  * @param startedNanos   when its thread began it; `None` while it waits
  * @param endedNanos     when it had run, or was rejected; `None` until then
  * @param blocked        when it was inside `scala.concurrent.blocking` or `Await`, in order
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

  /** Returns how long it waited for a thread, in nanoseconds; `None` while it still waits. */
  def queuedNanos: Option[Long] = startedNanos.map(_ - submittedNanos)

  /** Returns how long it occupied its thread, blocked or not, in nanoseconds; `None` until it has ended. */
  def ranNanos: Option[Long] = for (started <- startedNanos; ended <- endedNanos) yield ended - started

  /** Returns how long it was blocked, in all, in nanoseconds. */
  def blockedNanos: Long = blocked.map(_.nanos).sum

  /** Returns the name of the thread that ran it, if one did. */
  def thread: Option[String] = worker.map(_.label)
}

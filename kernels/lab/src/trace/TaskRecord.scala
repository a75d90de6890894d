package lab.trace

import scala.concurrent.{BlockContext, Batchable, CanAwait}

/** The run of a task: its thread, its start, and its end if it has ended. */
private[trace] final case class TaskRun(thread: Thread, started: Long, ended: Option[Long])

/** A record's contents at one moment. */
private[trace] final case class TaskState(
    label: String,
    submitter: Thread,
    submitted: Long,
    run: Option[TaskRun],
    blocked: List[Interval],
    failure: Option[Throwable]
)

/** One task in progress. It runs instead of the task, and is the `BlockContext` meanwhile, so `blocking` notifies it before the pool. Its
  * plain fields are written by one thread at a time, and published by the volatile `state`, which is written after them.
  */
private[trace] sealed class TaskRecord(private var task: Runnable, label: String)
    extends Runnable
    with BlockContext
    with (BlockContext => Unit) {
  private val submitter = Thread.currentThread
  private val submitted = System.nanoTime
  private var runner = submitter
  private var started = 0L
  private var ended = 0L
  private var outer = BlockContext.defaultBlockContext
  private var blocked = List.empty[Interval]
  private var failure = Option.empty[Throwable]
  @volatile private var state: Int = _ // TaskRecord.Waiting by default, which saves a volatile write

  final def run(): Unit = {
    runner = Thread.currentThread
    started = System.nanoTime
    state = TaskRecord.Running
    try BlockContext.usingBlockContext(this)(this)
    catch {
      case thrown: Throwable =>
        failure = Some(thrown)
        throw thrown
    } finally {
      task = TaskRecord.Done
      ended = System.nanoTime
      state = TaskRecord.Ended
    }
  }

  final def apply(previous: BlockContext): Unit = {
    outer = previous
    task.run()
  }

  final def blockOn[T](thunk: => T)(implicit permission: CanAwait): T = {
    val from = System.nanoTime
    try outer.blockOn(thunk)
    finally blocked = Interval(from, System.nanoTime) :: blocked
  }

  def rejected(reason: Throwable): Unit = if (state == TaskRecord.Waiting) {
    failure = Some(reason)
    state = TaskRecord.Rejected
  }

  def isOver: Boolean = state >= TaskRecord.Ended

  def now: TaskState = {
    val seen = state
    val run =
      if (seen == TaskRecord.Running || seen == TaskRecord.Ended)
        Some(TaskRun(runner, started, Option.when(seen == TaskRecord.Ended)(ended)))
      else None
    if (seen >= TaskRecord.Ended) TaskState(label, submitter, submitted, run, blocked, failure)
    else TaskState(label, submitter, submitted, run, Nil, None)
  }
}

private[trace] object TaskRecord {

  /** Builds the record that runs instead of `task`. */
  def apply(task: Runnable, label: String): TaskRecord =
    if (task.isInstanceOf[Batchable]) new BatchableRecord(task, label) else new TaskRecord(task, label)

  final val Waiting = 0
  final val Running = 1
  final val Ended = 2
  final val Rejected = 3

  /** Replaces a task that has run, so that its record doesn't keep the task in memory. */
  private object Done extends Runnable {
    def run(): Unit = ()
  }
}

/** The wrapper of a task that a batching executor may run together with others. */
private final class BatchableRecord(task: Runnable, label: String) extends TaskRecord(task, label) with Batchable

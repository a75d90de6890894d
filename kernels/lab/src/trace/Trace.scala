package lab.trace

import java.util.Objects
import java.util.concurrent.{ExecutorService, ForkJoinWorkerThread, TimeoutException}
import java.util.concurrent.atomic.{AtomicLong, AtomicReference}
import java.util.concurrent.locks.LockSupport

import lab.show.Say

import scala.annotation.tailrec
import scala.concurrent.duration.FiniteDuration
import scala.concurrent.ExecutionContext

/** Records what happens to every task submitted to the executors that it wraps: who submitted it, how long it waited, which thread ran it,
  * when it blocked. One trace may wrap several executors, and any number of threads may use it.
  *
  * {{{
  * val trace  = Trace()
  * val traced = trace.context(ExecutionContext.global)
  * Future(1)(traced.as("one")).map(_ + 1)(traced)
  * trace.await(5.seconds)
  * trace.spans.size   // 2 tasks
  * }}}
  *
  * Recording a task costs three clock readings, two small objects and one compare-and-set (in nanoseconds: `data/README.md`). The wrapper
  * changes nothing about where or when a task runs. Exceptions pass through, failures go to the wrapped context's `reportFailure`, and
  * `blocking` reaches the pool, so a pool that starts spare threads still does. A batching executor still sees a `Batchable` (Scala's own,
  * `parasitic`, batches in any case).
  */
final class Trace private (limit: Int) {
  import Trace._

  private val origin = System.nanoTime
  private val recorded = new AtomicReference[Log](Empty)
  private val unrecorded = new AtomicLong

  /** Wraps `underlying` so that every task is recorded. */
  def context(underlying: ExecutionContext): TracedContext = new TracedContext(record, underlying, "")

  /** Wraps `underlying` so that every task is recorded, whether it comes through `execute`, `submit` or `invokeAll`. Closing the wrapper
    * closes `underlying`.
    */
  def service(underlying: ExecutorService): TracedService = new TracedService(record, underlying, "")

  /** Returns how many tasks ran without being recorded because the trace was full. */
  def dropped: Long = unrecorded.get

  /** Returns what is known so far, in order of submission. It may be called while tasks run. Tasks that still wait or run have no end yet,
    * and no blocked intervals.
    *
    * A `ForkJoinPool` keeps at most its parallelism of threads active, and starts (or wakes) an extra one only to compensate for a thread
    * that is about to block. So a thread counts as ''spare'' if its pool was already busy when the thread began its first task here. The
    * pool was busy if the number of its other threads in the middle of a task was at least its parallelism. It is only a convention to call
    * that thread the spare one, because the pool itself doesn't distinguish its threads.
    */
  def spans: Vector[TaskSpan] = {
    val seen = recorded.get.records.map(_.now).sortBy(_.submitted)
    val spares = spareThreads(seen)
    seen.zipWithIndex.map { case (task, index) =>
      TaskSpan(
        label = if (task.label.isEmpty) s"task ${index + 1}" else task.label,
        submitter = nameOf(task.submitter),
        worker = task.run.map(run => workerOf(run.thread, spares(run.thread))),
        submittedNanos = task.submitted - origin,
        startedNanos = task.run.map(_.started - origin),
        endedNanos = task.run.flatMap(_.ended).map(_ - origin),
        blocked = task.blocked.reverseIterator.map(pause => Interval(pause.fromNanos - origin, pause.untilNanos - origin)).toVector,
        failure = task.failure
      )
    }
  }

  /** Returns how many of the tasks ran simultaneously, at most. A task that still runs counts from its start. */
  def concurrent: Int = {
    val changes = spans.flatMap { span =>
      span.startedNanos.toVector.flatMap(start => Vector(start -> 1, span.endedNanos.getOrElse(Long.MaxValue) -> -1))
    }
    // Ends come before starts at the same moment.
    changes.sorted.scanLeft(0)(_ + _._2).max
  }

  /** Waits until every task submitted so far has ended (or was rejected). A `Future` completes ''inside'' its task, a moment before the
    * task ends, so a page waits here before it reads `spans`.
    *
    * @throws java.util.concurrent.TimeoutException after `limit`; the message names tasks that haven't ended
    */
  def await(limit: FiniteDuration): Unit = {
    val deadline = System.nanoTime + limit.toNanos
    while (!recorded.get.isOver) {
      if (Thread.interrupted()) throw new InterruptedException("interrupted while waiting for traced tasks to end")
      if (System.nanoTime - deadline > 0) {
        val open = spans.filter(span => span.endedNanos.isEmpty && span.failure.isEmpty)
        throw new TimeoutException(
          s"after ${Say.time(limit)} ${Say.count(open.size, "task")} had not ended, among them: ${open.take(5).map(_.label).mkString(", ")}"
        )
      }
      LockSupport.parkNanos(pollNanos)
    }
  }

  /** Describes the trace in one line, such as "12 tasks on 2 threads; longest wait 41 ms behind `parse`". */
  def summary: String = Summary.sentence(spans) + (if (dropped > 0) s"; ${dropped} more not recorded" else "")

  override def toString: String = summary

  private[trace] def record(task: Runnable, label: String): Runnable = {
    Objects.requireNonNull(task, "a task can't be null")
    val entry = TaskRecord(task, label)
    if (append(entry)) entry
    else {
      unrecorded.incrementAndGet()
      task
    }
  }

  @tailrec private def append(record: TaskRecord): Boolean = {
    val before = recorded.get
    if (before.size >= limit) false
    else if (recorded.compareAndSet(before, new Entry(record, before))) true
    else append(record)
  }
}

object Trace {

  /** Starts a new, empty trace.
    *
    * @param limit how many tasks are recorded; later ones run nevertheless, and are counted in `dropped`
    */
  def apply(limit: Int = 200000): Trace = {
    require(limit > 0, s"a trace records at least one task, not $limit")
    new Trace(limit)
  }

  private val pollNanos = 500000L

  /** A stack that grows by compare-and-set. */
  private sealed abstract class Log {
    def size: Int

    @tailrec final def isOver: Boolean = this match {
      case entry: Entry => if (entry.record.isOver) entry.before.isOver else false
      case Empty        => true
    }

    def records: Vector[TaskRecord] = {
      val all = Vector.newBuilder[TaskRecord]
      @tailrec def collect(log: Log): Unit = log match {
        case entry: Entry =>
          all += entry.record
          collect(entry.before)
        case Empty => ()
      }
      collect(this)
      all.result().reverse
    }
  }
  private object Empty extends Log {
    def size: Int = 0
  }
  private final class Entry(val record: TaskRecord, val before: Log) extends Log {
    val size: Int = before.size + 1
  }

  private def workerOf(thread: Thread, spare: Boolean): Worker = Worker(thread.getName, thread.threadId, thread.isVirtual, spare)

  private def nameOf(thread: Thread): String = workerOf(thread, spare = false).label

  private def spareThreads(tasks: Vector[TaskState]): Set[Thread] = {
    val runs = tasks.flatMap(_.run).collect { case run @ TaskRun(thread: ForkJoinWorkerThread, _, _) => (thread, run) }
    runs
      .groupBy { case (thread, _) => thread.getPool }
      .iterator
      .flatMap { case (pool, ofPool) =>
        val byThread = ofPool.groupMap { case (thread, _) => thread } { case (_, run) => run }
        val first = byThread.view.mapValues(_.map(_.started).min).toMap
        def busy(moment: Long): Int = byThread.count { case (_, runs) =>
          runs.exists(run => run.started < moment && run.ended.forall(_ > moment))
        }
        first.collect { case (thread, moment) if busy(moment) >= pool.getParallelism => thread: Thread }
      }
      .toSet
  }
}

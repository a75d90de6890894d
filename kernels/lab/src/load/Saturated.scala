package lab.load

import java.lang.management.ManagementFactory
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, Executors}

import com.sun.management.OperatingSystemMXBean
import lab.chart.Latencies
import lab.show.Say
import lab.trace.{Interval, TaskSpan, Worker}

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.Using

/** The work of threads that always have something to do: as each task ends, its thread begins the next one.
  *
  * @param perSecond    the tasks that ended in a second; never 0
  * @param onThread     how long each task was on its thread
  * @param cpus         how many CPUs this JVM used meanwhile, by its CPU time
  * @param perCpuSecond the tasks per second of that CPU time, on which other programs have no influence
  * @param spans        the tasks of the first moments, for a [[lab.trace.Timeline]]. While a task waited, it is blocked there
  */
final case class Saturated(
    threads: Int,
    perSecond: Double,
    onThread: Latencies,
    cpus: Double,
    perCpuSecond: Double,
    spans: Vector[TaskSpan]
) {
  override def toString: String = s"${Say.count(threads, "thread")}: ${Say.number(perSecond)} tasks/s, $onThread"
}

object Saturated {

  /** Runs tasks on `threads` new threads. It measures for `time`, after a third of that as warm-up, of which only the spans are kept.
    *
    * @param waits   how long each task sleeps after it has computed
    * @param spans   how long after the first task began tasks are kept for a timeline; none by default
    * @param compute the computation of each task, on its own thread
    * @throws java.lang.IllegalArgumentException if there is no thread or no time
    */
  def apply(
      threads: Int,
      waits: FiniteDuration = Duration.Zero,
      time: FiniteDuration = 300.millis,
      spans: FiniteDuration = Duration.Zero
  )(compute: => Unit): Saturated = {
    if (threads < 1 || time <= Duration.Zero)
      throw new IllegalArgumentException(s"expected at least one thread and a time above zero, not $threads and $time")
    val (ended, kept) = (new ConcurrentLinkedQueue[(Long, Long)], new ConcurrentLinkedQueue[TaskSpan])
    val (cpuSeconds, wallSeconds) = Using.resource(Executors.newFixedThreadPool(threads)) { pool =>
      val (ready, go, began) = (new CountDownLatch(threads), new CountDownLatch(1), new AtomicLong)
      def now: Long = System.nanoTime - began.get

      /** Runs one task, and returns when it ended. */
      def once(): Long = {
        val from = now
        compute
        val computed = now
        if (waits > Duration.Zero) Thread.sleep(waits.toMillis)
        val until = now
        ended.add(until -> (until - from))
        if (from < spans.toNanos) { kept.add(span(from, computed, until, waits > Duration.Zero)); () }
        until
      }
      val last = (time * 4 / 3).toNanos
      val loop: Runnable = () => {
        ready.countDown()
        go.await()
        // Even if other programs keep a thread from its CPU all the time, it runs one task.
        while (once() < last) ()
      }
      val loops = Seq.fill(threads)(pool.submit(loop, ()))
      ready.await() // so that all threads are there when the first task begins
      began.set(System.nanoTime)
      val used = cpuNanos
      go.countDown()
      loops.foreach(_.get)
      ((cpuNanos - used) / 1e9, now / 1e9)
    }
    // If other programs keep the machine busy, it may be that not one task ends in time. Then later tasks count, too.
    val (from, until) = (time.toNanos / 3, (time * 4 / 3).toNanos)
    val all = ended.asScala.toVector.filter(_._1 >= from)
    val inTime = all.filter(_._1 < until)
    val (counted, took) = if (inTime.nonEmpty) (inTime, until - from) else (all, all.map(_._1).max - from)
    Saturated(
      threads,
      counted.size * 1e9 / took,
      Latencies.of(counted.map(_._2)),
      cpuSeconds / wallSeconds,
      ended.size / cpuSeconds.max(1e-9),
      kept.asScala.toVector.sortBy(_.submittedNanos)
    )
  }

  /** Returns the CPU time of this JVM so far. */
  private def cpuNanos: Long = ManagementFactory.getPlatformMXBean(classOf[OperatingSystemMXBean]).getProcessCpuTime

  /** Returns the span of a task, which never waited for a thread. */
  private def span(from: Long, computed: Long, until: Long, waits: Boolean): TaskSpan = {
    val thread = Thread.currentThread
    val worker = Worker(thread.getName.replaceFirst("pool-\\d+-", ""), thread.threadId, virtual = false, spare = false)
    val blocked = if (waits) Vector(Interval(computed, until)) else Vector.empty
    TaskSpan("task", worker.name, Some(worker), from, Some(from), Some(until), blocked, None)
  }
}

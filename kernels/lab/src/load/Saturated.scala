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

/** What so many threads do that always have something to do: as each task ends, its thread begins the next.
  *
  * @param perSecond tasks that ended in a second; never 0
  * @param onThread  how long each was on its thread
  * @param cpus      how many CPUs this JVM used meanwhile, by its CPU time
  * @param perCpuSecond tasks in a second of that CPU time: what others take of the CPUs has no part in it
  * @param spans     the tasks of the first moments, for a [[lab.trace.Timeline]]; where a task waited it is blocked
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

  /** Runs tasks on `threads` threads of their own, for `time` and a third of that before, which doesn't count but for the spans.
    *
    * {{{
    * Saturated(threads = 16, waits = 14.millis)(work(2.millis)).perSecond
    * }}}
    *
    * @param waits   how long each task sleeps when it has computed
    * @param spans   tasks that begin so long after the first one are kept for a timeline; none, unless told
    * @param compute what each task computes, on its own thread
    * @throws java.lang.IllegalArgumentException if there is no thread or no time
    */
  def apply(
      threads: Int,
      waits: FiniteDuration = Duration.Zero,
      time: FiniteDuration = 300.millis,
      spans: FiniteDuration = Duration.Zero
  )(compute: => Unit): Saturated = {
    if (threads < 1 || time <= Duration.Zero)
      throw new IllegalArgumentException(s"at least one thread and a time above zero are needed, not $threads and $time")
    val (ended, kept) = (new ConcurrentLinkedQueue[(Long, Long)], new ConcurrentLinkedQueue[TaskSpan])
    val (cpuSeconds, wallSeconds) = Using.resource(Executors.newFixedThreadPool(threads)) { pool =>
      val (ready, go, began) = (new CountDownLatch(threads), new CountDownLatch(1), new AtomicLong)
      def now: Long = System.nanoTime - began.get

      /** When the task ended. */
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
        // A thread that others kept from its CPU all the time has one task all the same.
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
    // On a machine that others keep busy not one task may end in time: then what ended later counts as well.
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

  /** CPU time of this JVM so far. */
  private def cpuNanos: Long = ManagementFactory.getPlatformMXBean(classOf[OperatingSystemMXBean]).getProcessCpuTime

  /** Nobody waits for a thread here. */
  private def span(from: Long, computed: Long, until: Long, waits: Boolean): TaskSpan = {
    val thread = Thread.currentThread
    val worker = Worker(thread.getName.replaceFirst("pool-\\d+-", ""), thread.threadId, virtual = false, spare = false)
    val blocked = if (waits) Vector(Interval(computed, until)) else Vector.empty
    TaskSpan("task", worker.name, Some(worker), from, Some(from), Some(until), blocked, None)
  }
}

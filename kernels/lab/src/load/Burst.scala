package lab.load

import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{BlockingQueue, ConcurrentLinkedQueue, RejectedExecutionException, ThreadPoolExecutor, TimeUnit}

import lab.chart.Latencies
import lab.show.{ProgressLine, Say}

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** An admission policy: a bounded or unbounded queue, and a rule that drops requests when their turn comes. Both are for one run. */
final case class AdmissionPolicy(queue: BlockingQueue[Runnable], drop: Drop = Drop.nobody)

/** The fate of a request. Times are nanoseconds since the first request of the run.
  *
  * @param endedNanos when the answer or the rejection came; `None` if neither came
  */
final case class Fate(kind: Fate.Kind, sentNanos: Long, endedNanos: Option[Long]) {

  /** Returns how long the answer or the rejection took; `None` if neither came. */
  def tookNanos: Option[Long] = endedNanos.map(_ - sentNanos)
}

object Fate {
  sealed abstract class Kind(override val toString: String)
  case object Answered extends Kind("answered")

  /** The queue was full, so the request was rejected immediately. */
  case object Rejected extends Kind("rejected")

  /** The request was rejected when its turn came. */
  case object Dropped extends Kind("dropped")

  /** The request was still in the queue when all clients had given up. */
  case object Unanswered extends Kind("unanswered")
}

/** The requests of a burst under one admission policy, in the order in which they came.
  *
  * @param overNanos when the burst was over and the usual rate began again
  */
final case class Burst(fates: Vector[Fate], overNanos: Long) {

  /** Returns how many requests had this fate. */
  def count(kind: Fate.Kind): Int = fates.count(_.kind == kind)

  /** Returns how long answers took, for requests that got one. */
  def answers: Latencies = Latencies.of(fates.collect { case Fate(Fate.Answered, sent, Some(ended)) => ended - sent })

  /** Returns how many requests were answered within `patience`. */
  def useful(patience: FiniteDuration): Int = fates.count(inTime(_, patience))

  /** Returns how many requests were answered, but later than `patience`. */
  def late(patience: FiniteDuration): Int = count(Fate.Answered) - useful(patience)

  private def inTime(fate: Fate, patience: FiniteDuration): Boolean =
    fate.kind == Fate.Answered && fate.tookNanos.exists(_ <= patience.toNanos)

  /** Returns how long answers took, for [[lab.chart.Chart.lines]]: the middle of each slice of arrivals in seconds, and the median of its
    * answers in ms. A slice without answers is left out, but [[usefulOverTime]] has it.
    */
  def overTime(every: FiniteDuration = 200.millis): Seq[(Double, Double)] = slices(every).flatMap { case (at, found) =>
    Burst.median(found.filter(_.kind == Fate.Answered).flatMap(_.tookNanos)).map(nanos => at -> nanos / 1e6)
  }

  /** Returns the percentage of requests that were answered within `patience`, for [[lab.chart.Chart.lines]], by the time of arrival in
    * seconds.
    */
  def usefulOverTime(patience: FiniteDuration, every: FiniteDuration = 200.millis): Seq[(Double, Double)] =
    slices(every).map { case (at, found) => at -> 100.0 * found.count(inTime(_, patience)) / found.size }

  /** Returns how long after the burst it took until at least half of the requests were answered within `usual` again, and stayed so. */
  def recovery(usual: FiniteDuration, every: FiniteDuration = 200.millis): FiniteDuration = {
    val slow = slices(every).filter { case (_, found) => found.count(inTime(_, usual)) * 2 < found.size }
    val until = slow.map { case (at, _) => (at * 1e9).toLong + every.toNanos / 2 }.maxOption.getOrElse(0L)
    (until - overNanos).max(0).nanos
  }

  private def slices(every: FiniteDuration): Seq[(Double, Vector[Fate])] = fates
    .groupBy(_.sentNanos / every.toNanos)
    .toSeq
    .sortBy(_._1)
    .map { case (slice, found) => (slice + 0.5) * every.toNanos / 1e9 -> found }

  override def toString: String =
    Seq(Fate.Answered, Fate.Rejected, Fate.Dropped, Fate.Unanswered).map(kind => s"${count(kind)} $kind").mkString(", ")
}

object Burst {

  /** Sends requests at a constant rate, whether or not earlier ones were answered: first at the usual rate, then as a burst, then at the
    * usual rate again. Each request goes to all policies at the same moment. Each policy has its own `ThreadPoolExecutor` with the policy's queue,
    * and its `AbortPolicy` rejects a request if the queue is full.
    *
    * The call returns when all requests have ended, or `giveUp` after the last one came. Then it closes the pools.
    *
    * @param usual   requests a second before and after the burst
    * @param burst   requests a second during the burst
    * @param phases  the lengths of the usual load, of the burst, and of the usual load after it
    * @param threads the number of threads of each pool
    * @param serve   serves a request. It should sleep, so that the policies don't compete for CPUs
    * @throws java.lang.InterruptedException if the cell is interrupted
    */
  def apply(
      usual: Int,
      burst: Int,
      phases: (FiniteDuration, FiniteDuration, FiniteDuration),
      threads: Int,
      giveUp: FiniteDuration = 5.seconds
  )(policies: (String, AdmissionPolicy)*)(serve: => Unit): Seq[(String, Burst)] = {
    val (before, during, after) = phases
    val steps = Seq(usual -> before, burst -> during, usual -> after)
    if (policies.isEmpty || steps.exists { case (rate, time) => rate < 1 || time <= Duration.Zero } || threads < 1)
      throw new IllegalArgumentException(s"expected a policy, rates, times and a thread, not $usual, $burst, $phases, $threads threads")
    val (total, line) = ((before + during + after).toNanos, new ProgressLine("Burst"))
    val began = System.nanoTime
    val open = policies.map { case (name, policy) => name -> new Open(policy, threads, began) }
    try {
      offsets(steps).foreach { offset =>
        Load.awaitMoment(began + offset)
        open.foreach { case (_, one) => one.come(offset)(serve) }
        line.tick(s"${Say.nanos(offset)} of ${Say.nanos(total)}")
      }
      val limit = giveUp.fromNow
      while (open.exists(_._2.isBusy) && limit.hasTimeLeft()) Load.awaitMoment(System.nanoTime + 10000000L)
    } finally open.foreach(_._2.close())
    line.end(s"${policies.map(_._1).mkString(", ")}, in ${line.time}")
    open.map { case (name, one) => name -> Burst(one.fates, (before + during).toNanos) }
  }

  private def offsets(steps: Seq[(Int, FiniteDuration)]): Iterator[Long] = {
    val from = steps.scanLeft(0L)(_ + _._2.toNanos)
    steps.iterator.zip(from.iterator).flatMap { case ((rate, time), start) =>
      Iterator.from(0).map(n => (n * 1e9 / rate).toLong).takeWhile(_ < time.toNanos).map(start + _)
    }
  }

  private def median(nanos: Vector[Long]): Option[Long] = Option.when(nanos.nonEmpty)(nanos.sorted.apply(nanos.size / 2))

  private final class Open(policy: AdmissionPolicy, threads: Int, began: Long) {
    private val known = new ConcurrentLinkedQueue[Fate]
    private val sent = Vector.newBuilder[Long]
    private var come = 0
    private val factory = Thread.ofPlatform.daemon.name("burst").factory
    private val pool =
      new ThreadPoolExecutor(threads, threads, 0, TimeUnit.SECONDS, policy.queue, factory, new ThreadPoolExecutor.AbortPolicy)
    pool.prestartAllCoreThreads()

    /** Submits a request. Its time counts from when it was due. */
    def come(offset: Long)(serve: => Unit): Unit = {
      sent += offset
      come += 1
      def over(kind: Fate.Kind): Unit = { known.add(Fate(kind, offset, Some(System.nanoTime - began))); () }
      val turn: Runnable = () => {
        val now = System.nanoTime
        if (policy.drop(now - began - offset, now)) over(Fate.Dropped)
        else
          try { serve; over(Fate.Answered) }
          catch { case _: InterruptedException => () }
      }
      try pool.execute(turn)
      catch { case _: RejectedExecutionException => over(Fate.Rejected) }
    }

    def isBusy: Boolean = known.size < come

    def close(): Unit = {
      pool.shutdownNow()
      pool.awaitTermination(1, TimeUnit.SECONDS)
      ()
    }

    def fates: Vector[Fate] = {
      val told = known.asScala.toVector
      val heard = told.map(_.sentNanos).toSet
      (told ++ sent.result().filterNot(heard).map(Fate(Fate.Unanswered, _, None))).sortBy(_.sentNanos)
    }
  }
}

/** Decides whether a task is dropped when its turn comes, instead of run. Several threads call it simultaneously. */
trait Drop {

  /** @param waitedNanos how long the task has waited for its turn
    * @param nowNanos    when its turn came, by `System.nanoTime`
    */
  def apply(waitedNanos: Long, nowNanos: Long): Boolean
}

object Drop {

  /** Drops no task, however long it had to wait. */
  val nobody: Drop = (_, _) => false

  /** Drops tasks that have waited for longer than a deadline. */
  def after(deadline: FiniteDuration): Drop = (waited, _) => waited > deadline.toNanos

  /** Drops tasks of a standing queue. A queue may be long for a moment. If it doesn't get shorter, every task waits in it, and nothing is
    * gained. So if no task waited for less than `target` during an `interval`, a task that has waited for longer than `target` is dropped.
    *
    * CoDel detects a standing queue in this way (K. Nichols and V. Jacobson, ''Controlling Queue Delay'', ACM Queue 2012). The rule of what
    * to drop then is simpler here, and services use it (B. Maurer, ''Fail at Scale'', ACM Queue 2015).
    */
  def standing(target: FiniteDuration, interval: FiniteDuration): Drop = {
    val lastShort = new AtomicLong(System.nanoTime)
    (waited, now) => {
      val short = waited <= target.toNanos
      if (short) lastShort.accumulateAndGet(now, (one, other) => if (one - other > 0) one else other)
      !short && now - lastShort.get > interval.toNanos
    }
  }
}

package lab.load

import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{BlockingQueue, ConcurrentLinkedQueue, RejectedExecutionException, ThreadPoolExecutor, TimeUnit}

import lab.chart.Latencies
import lab.show.{ProgressLine, Say}

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** How those who come are let in: a queue, full or never so, and a rule of whom to drop when the turn comes. Both are for one run. */
final case class Door(queue: BlockingQueue[Runnable], drop: Drop = Drop.nobody)

/** What became of a request; nanoseconds since the first one of the run.
  *
  * @param endedNanos when its answer came, or the word that there will be none; empty if neither came
  */
final case class Fate(kind: Fate.Kind, sentNanos: Long, endedNanos: Option[Long]) {

  /** How long the answer took; nothing if there was none. */
  def tookNanos: Option[Long] = endedNanos.map(_ - sentNanos)
}

object Fate {
  sealed abstract class Kind(override val toString: String)
  case object Answered extends Kind("answered")

  /** The queue was full: told at once. */
  case object Refused extends Kind("refused")

  /** Told when its turn came. */
  case object Dropped extends Kind("dropped")

  /** Still in the queue when nobody wanted to wait any longer. */
  case object Unanswered extends Kind("unanswered")
}

/** What a crowd met at one door; in the order in which they came.
  *
  * @param overNanos when the crowd was over and the usual rate began again
  */
final case class Crowd(fates: Vector[Fate], overNanos: Long) {

  /** How many had this fate. */
  def count(kind: Fate.Kind): Int = fates.count(_.kind == kind)

  /** How long answers took; of those that got one. */
  def answers: Latencies = Latencies.of(fates.collect { case Fate(Fate.Answered, sent, Some(ended)) => ended - sent })

  /** How many were answered within `patience`. */
  def useful(patience: FiniteDuration): Int = fates.count(inTime(_, patience))

  /** How many were answered, but later than that. */
  def late(patience: FiniteDuration): Int = count(Fate.Answered) - useful(patience)

  private def inTime(fate: Fate, patience: FiniteDuration): Boolean =
    fate.kind == Fate.Answered && fate.tookNanos.exists(_ <= patience.toNanos)

  /** For [[lab.chart.Chart.lines]]: when they came, in seconds (the middle of each slice), and how long the answer took in ms: the median
    * of those who got one. A slice in which nobody did is left out; [[usefulOverTime]] shows it.
    */
  def overTime(every: FiniteDuration = 200.millis): Seq[(Double, Double)] = slices(every).flatMap { case (at, found) =>
    Crowd.median(found.filter(_.kind == Fate.Answered).flatMap(_.tookNanos)).map(nanos => at -> nanos / 1e6)
  }

  /** For [[lab.chart.Chart.lines]]: when they came, and how many in a hundred had an answer within `patience`. */
  def usefulOverTime(patience: FiniteDuration, every: FiniteDuration = 200.millis): Seq[(Double, Double)] =
    slices(every).map { case (at, found) => at -> 100.0 * found.count(inTime(_, patience)) / found.size }

  /** How long after the crowd it was until half of those who came were answered within `usual` again, and remained so. */
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
    Seq(Fate.Answered, Fate.Refused, Fate.Dropped, Fate.Unanswered).map(kind => s"${count(kind)} $kind").mkString(", ")
}

object Crowd {

  /** Requests come at constant distances, whether or not earlier ones were answered: first at the usual rate, then as a crowd, then at the
    * usual rate again. Each comes to every door in the same moment; behind each door stands a `ThreadPoolExecutor` of its own with its
    * queue, which refuses whom the queue doesn't take (`AbortPolicy`).
    *
    * The call ends when all have an answer, or `giveUp` after the last one came; then nobody is left.
    *
    * @param usual   requests a second before and after
    * @param crowd   requests a second while it lasts
    * @param phases  how long it is as usual, how long the crowd lasts, how long it is as usual again
    * @param threads of each pool
    * @param serve   what a request takes; something that sleeps, so that the doors don't take each other's CPUs
    * @throws java.lang.InterruptedException if the cell is interrupted
    */
  def apply(
      usual: Int,
      crowd: Int,
      phases: (FiniteDuration, FiniteDuration, FiniteDuration),
      threads: Int,
      giveUp: FiniteDuration = 5.seconds
  )(doors: (String, Door)*)(serve: => Unit): Seq[(String, Crowd)] = {
    val (before, during, after) = phases
    val steps = Seq(usual -> before, crowd -> during, usual -> after)
    if (doors.isEmpty || steps.exists { case (rate, time) => rate < 1 || time <= Duration.Zero } || threads < 1)
      throw new IllegalArgumentException(s"a door, rates, times and a thread are needed, not $usual, $crowd, $phases, $threads threads")
    val (total, line) = ((before + during + after).toNanos, new ProgressLine("Crowd"))
    val began = System.nanoTime
    val open = doors.map { case (name, door) => name -> new Open(door, threads, began) }
    try {
      offsets(steps).foreach { offset =>
        Load.awaitMoment(began + offset)
        open.foreach { case (_, one) => one.come(offset)(serve) }
        line.tick(s"${Say.nanos(offset)} of ${Say.nanos(total)}")
      }
      val limit = giveUp.fromNow
      while (open.exists(_._2.isBusy) && limit.hasTimeLeft()) Load.awaitMoment(System.nanoTime + 10000000L)
    } finally open.foreach(_._2.close())
    line.end(s"${doors.map(_._1).mkString(", ")}, in ${line.time}")
    open.map { case (name, one) => name -> Crowd(one.fates, (before + during).toNanos) }
  }

  private def offsets(steps: Seq[(Int, FiniteDuration)]): Iterator[Long] = {
    val from = steps.scanLeft(0L)(_ + _._2.toNanos)
    steps.iterator.zip(from.iterator).flatMap { case ((rate, time), start) =>
      Iterator.from(0).map(n => (n * 1e9 / rate).toLong).takeWhile(_ < time.toNanos).map(start + _)
    }
  }

  private def median(nanos: Vector[Long]): Option[Long] = Option.when(nanos.nonEmpty)(nanos.sorted.apply(nanos.size / 2))

  private final class Open(door: Door, threads: Int, began: Long) {
    private val known = new ConcurrentLinkedQueue[Fate]
    private val sent = Vector.newBuilder[Long]
    private var come = 0
    private val factory = Thread.ofPlatform.daemon.name("door").factory
    private val pool =
      new ThreadPoolExecutor(threads, threads, 0, TimeUnit.SECONDS, door.queue, factory, new ThreadPoolExecutor.AbortPolicy)
    pool.prestartAllCoreThreads()

    /** What counts is when a request was meant to come. */
    def come(offset: Long)(serve: => Unit): Unit = {
      sent += offset
      come += 1
      def over(kind: Fate.Kind): Unit = { known.add(Fate(kind, offset, Some(System.nanoTime - began))); () }
      val turn: Runnable = () => {
        val now = System.nanoTime
        if (door.drop(now - began - offset, now)) over(Fate.Dropped)
        else
          try { serve; over(Fate.Answered) }
          catch { case _: InterruptedException => () }
      }
      try pool.execute(turn)
      catch { case _: RejectedExecutionException => over(Fate.Refused) }
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

/** A rule that says, when a task's turn has come, whether it is dropped and not run any more. Threads ask at the same time. */
trait Drop {

  /** @param waitedNanos how long the task has waited for its turn
    * @param nowNanos    when its turn has come, by `System.nanoTime`
    */
  def apply(waitedNanos: Long, nowNanos: Long): Boolean
}

object Drop {

  /** Whoever had to wait was worth it. */
  val nobody: Drop = (_, _) => false

  /** A deadline: who has waited for longer is dropped. */
  def after(deadline: FiniteDuration): Drop = (waited, _) => waited > deadline.toNanos

  /** A queue may be long for a moment; one that doesn't get shorter is a standing queue, in which everybody waits and nobody gains. If for
    * an `interval` nobody's wait was below `target`, then whoever has waited longer than that is dropped.
    *
    * That is how CoDel tells a standing queue (K. Nichols and V. Jacobson, ''Controlling Queue Delay'', ACM Queue 2012), with a simpler rule
    * of what to drop then, one that services use (B. Maurer, ''Fail at Scale'', ACM Queue 2015).
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

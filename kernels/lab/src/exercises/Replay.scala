package lab.exercises

import scala.collection.mutable
import scala.util.Random

/** What becomes of requests before a pool, worked out instead of run: first come, first served by so many threads. Nothing waits and no
  * clock is looked at, so that a busy machine changes nothing. Times are in seconds.
  */
private[exercises] object Replay {

  /** @param holds how long it holds its thread, if it gets it at the given moment */
  final case class Request(at: Double, holds: Double => Double)

  /** @param waited until it got its thread, or was refused
    * @param held   how long it then held it; nothing if it was refused
    */
  final case class Fate(at: Double, waited: Double, held: Option[Double]) {
    def refused: Boolean = held.isEmpty

    /** From its arrival to its answer. */
    def took: Option[Double] = held.map(_ + waited)
  }

  /** Rounding doesn't make anybody late. */
  val hair = 1e-9

  /** The fates of `requests`, which come in this order.
    *
    * @param queue    so many wait at most; who comes then is refused
    * @param deadline who has waited longer when its turn comes is refused then
    */
  def apply(threads: Int, queue: Int = Int.MaxValue, deadline: Double = Double.PositiveInfinity)(requests: Seq[Request]): Seq[Fate] = {
    val fates = new Array[Fate](requests.size)
    val waiting = mutable.Queue.empty[(Request, Int)]
    val free = mutable.PriorityQueue.fill(threads)(0.0)(Ordering[Double].reverse)

    def serve(request: Request, number: Int): Unit = {
      val begins = math.max(request.at, free.head)
      val waited = begins - request.at
      val held = Option.when(waited <= deadline + hair)(request.holds(begins))
      held.foreach { time => free.dequeue(); free.enqueue(begins + time) }
      fates(number) = Fate(request.at, waited, held)
    }
    def serveUntil(now: Double): Unit = while (waiting.nonEmpty && free.head <= now) (serve _).tupled(waiting.dequeue())

    for ((request, number) <- requests.zipWithIndex) {
      serveUntil(request.at)
      if (waiting.isEmpty && free.head <= request.at) serve(request, number)
      else if (waiting.size < queue) waiting.enqueue(request -> number)
      else fates(number) = Fate(request.at, 0, None)
    }
    serveUntil(Double.PositiveInfinity)
    fates.toSeq
  }

  /** Moments between `from` and `to`, at random, so many a second. */
  def arrivals(perSecond: Double, from: Double, to: Double): Seq[Double] = {
    def gap(): Double = -math.log(1 - Random.nextDouble()) / perSecond
    Iterator.iterate(from + gap())(_ + gap()).takeWhile(_ < to).toVector
  }

  /** How long requests wait on average in the last of five minutes, if so many come a second, at random, and each holds a thread for so long. */
  def lastWaits(threads: Int, perSecond: Double, holds: Double): Double = {
    val last = Replay(threads)(arrivals(perSecond, 0, 300).map(Request(_, _ => holds))).filter(_.at > 240).map(_.waited)
    last.sum / last.size.max(1)
  }

  def ms(seconds: Double): String = if (seconds.isInfinite) "for ever" else f"${seconds * 1000}%.0f ms"

  /** Of `values`, `share` are at most so large. */
  def percentile(values: Seq[Double], share: Double): Double =
    if (values.isEmpty) 0 else values.sorted.apply((values.size * share).toInt.min(values.size - 1))
}

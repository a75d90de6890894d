package lab.exercises

import scala.collection.mutable
import scala.util.Random

/** Computes what happens to requests at a pool, without running them. They are served in the order in which they come. Nothing waits, and
  * no clock is read, so a busy machine changes nothing. Times are in seconds.
  */
private[exercises] object Replay {

  /** The fate of a request.
    *
    * @param holds returns how long the request occupies its thread if it gets the thread at the given moment
    */
  final case class Request(at: Double, holds: Double => Double)

  /** What became of a request.
    *
    * @param waited the time until it got its thread or was rejected
    * @param held   how long it then occupied the thread; `None` if it was rejected
    */
  final case class Fate(at: Double, waited: Double, held: Option[Double]) {
    def refused: Boolean = held.isEmpty

    /** Returns the time from its arrival to its answer; `None` if it was rejected. */
    def took: Option[Double] = held.map(_ + waited)
  }

  /** The tolerance for rounding errors, so that no request is late because of one. */
  val hair = 1e-9

  /** Computes the fates of `requests`, which come in this order.
    *
    * @param queue    how many requests may wait. A request that finds the queue full is rejected
    * @param deadline how long a request may wait. If it has waited longer when its turn comes, it is rejected
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

  /** Returns random moments between `from` and `to`, at the given mean rate. */
  def arrivals(perSecond: Double, from: Double, to: Double): Seq[Double] = {
    def gap(): Double = -math.log(1 - Random.nextDouble()) / perSecond
    Iterator.iterate(from + gap())(_ + gap()).takeWhile(_ < to).toVector
  }

  /** Returns how long requests wait on average in the last of five minutes, if they come at random and each occupies a thread for `holds`.
    */
  def lastWaits(threads: Int, perSecond: Double, holds: Double): Double = {
    val last = Replay(threads)(arrivals(perSecond, 0, 300).map(Request(_, _ => holds))).filter(_.at > 240).map(_.waited)
    last.sum / last.size.max(1)
  }

  def ms(seconds: Double): String = if (seconds.isInfinite) "for ever" else f"${seconds * 1000}%.0f ms"

  /** Returns the value that `share` of the `values` don't exceed. */
  def percentile(values: Seq[Double], share: Double): Double =
    if (values.isEmpty) 0 else values.sorted.apply((values.size * share).toInt.min(values.size - 1))
}

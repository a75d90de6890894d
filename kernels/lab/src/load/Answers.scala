package lab.load

import lab.chart.Latencies
import lab.show.Say

import scala.concurrent.duration._

/** One request as the load generator saw it. Times are nanoseconds since the first request of the run.
  *
  * @param block the number of the block, from 1. The load of one name may come in several blocks, with other blocks in between
  * @param ok    whether the answer was as expected
  */
final case class Answer(request: String, block: Int, sentNanos: Long, nanos: Long, ok: Boolean) {

  /** Returns when the answer came, on the clock of `sentNanos`. */
  def endedNanos: Long = sentNanos + nanos
}

/** The requests of a run, in the order in which they ended. */
final class Answers private (val all: Vector[Answer]) {

  /** Returns the requests with this name. Each of their blocks gets its own clock, which starts with its first request.
    *
    * @throws java.lang.IllegalArgumentException if no request has this name
    */
  def of(request: String): Answers = {
    val found = all.filter(_.request == request)
    if (found.isEmpty)
      throw new IllegalArgumentException(s"no request is called '$request'; there are ${all.map(_.request).distinct.mkString(", ")}")
    val first = found.groupMapReduce(_.block)(_.sentNanos)(_ min _)
    new Answers(found.map(answer => answer.copy(sentNanos = answer.sentNanos - first(answer.block))))
  }

  /** Returns each block by itself, in order. Blocks of one name are repeated measurements. */
  def blocks: Vector[Answers] = all.groupBy(_.block).toVector.sortBy(_._1).map { case (_, found) => new Answers(found) }

  /** Returns how many requests failed: they got another status, or their answer came too late for the load generator, or never. */
  def errors: Int = all.count(!_.ok)

  /** Returns how long the good answers took. */
  def latency: Latencies = Latencies.of(all.collect { case answer if answer.ok => answer.nanos })

  /** Returns how many requests were in flight, for [[lab.chart.Chart.lines]]: seconds since the first request, and the number. For several
    * blocks it is the mean.
    */
  def inFlight(every: FiniteDuration = 100.millis): Seq[(Double, Double)] = {
    val (last, several) = (all.map(_.endedNanos).max, all.map(_.block).distinct.size.toDouble)
    (0L to last by every.toNanos).map(at => at / 1e9 -> all.count(one => one.sentNanos <= at && one.endedNanos > at) / several)
  }

  /** Returns how long answers took, by the time of sending: seconds since the first request, and the median of each slice in seconds. */
  def overTime(every: FiniteDuration = 200.millis): Seq[(Double, Double)] = all
    .groupBy(_.sentNanos / every.toNanos)
    .toSeq
    .sortBy(_._1)
    .map { case (slice, found) => (slice + 0.5) * every.toNanos / 1e9 -> found.map(_.nanos).sorted.apply(found.size / 2) / 1e9 }

  /** Returns the good answers a second, between the first and the last answer of each block. So neither the time until the first answer nor
    * the block's length has an influence. Returns 0 if no block has two good answers.
    */
  def perSecond: Double = Answers.perSecond(all.filter(_.ok))(_.endedNanos)

  /** Returns the requests sent a second, between the first and the last of each block. A generator that is late sends fewer than planned.
    * Returns 0 if no block has two requests.
    */
  def sentPerSecond: Double = Answers.perSecond(all)(_.sentNanos)

  override def toString: String = s"${Say.count(all.size, "request")}, ${Say.count(errors, "error")}"
}

object Answers {

  /** Prints an answer as [[Gatling.run]] reads it. A simulation calls this when a request is answered or given up.
    *
    * @param sentNanos when it was sent, by `System.nanoTime`
    * @param block     the block to which the request belongs; 0 is a warm-up, which doesn't count
    */
  def tell(request: String, sentNanos: Long, ok: Boolean, block: Int = 1): Unit =
    println(s"answer $request $block $sentNanos ${System.nanoTime - sentNanos} $ok")

  private def perSecond(all: Vector[Answer])(at: Answer => Long): Double = {
    val times = all.groupMap(_.block)(at).values
    val nanos = times.map(of => of.max - of.min).sum
    if (nanos == 0) 0 else times.map(_.size - 1).sum * 1e9 / nanos
  }

  private[load] val Line = "answer (\\S+) (\\d+) (\\d+) (\\d+) (true|false)".r

  private[load] def read(lines: Vector[String]): Answers = {
    val all = lines
      .collect { case Line(request, block, sent, nanos, ok) => Answer(request, block.toInt, sent.toLong, nanos.toLong, ok.toBoolean) }
      .filter(_.block > 0)
    val first = all.map(_.sentNanos).min
    new Answers(all.map(answer => answer.copy(sentNanos = answer.sentNanos - first)))
  }
}

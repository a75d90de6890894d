package lab.load

import lab.chart.Latencies
import lab.show.Say

import scala.concurrent.duration._

/** One request as the load generator saw it. Nanoseconds since the first one of the run.
  *
  * @param block the load of one name may come in several blocks, with others in between; they are counted from 1
  * @param ok    whether it was answered as it should be
  */
final case class Answer(request: String, block: Int, sentNanos: Long, nanos: Long, ok: Boolean) {

  /** When the answer was there, on the clock of `sentNanos`. */
  def endedNanos: Long = sentNanos + nanos
}

/** Every request of a run, in the order in which they ended. */
final class Answers private (val all: Vector[Answer]) {

  /** Those with this name; the clock begins anew with each of their blocks.
    *
    * @throws java.lang.IllegalArgumentException if there is none
    */
  def of(request: String): Answers = {
    val found = all.filter(_.request == request)
    if (found.isEmpty)
      throw new IllegalArgumentException(s"no request is called '$request'; there are ${all.map(_.request).distinct.mkString(", ")}")
    val first = found.groupMapReduce(_.block)(_.sentNanos)(_ min _)
    new Answers(found.map(answer => answer.copy(sentNanos = answer.sentNanos - first(answer.block))))
  }

  /** Each block by itself, in their order: of one name, these are repeated measurements of the same. */
  def blocks: Vector[Answers] = all.groupBy(_.block).toVector.sortBy(_._1).map { case (_, found) => new Answers(found) }

  /** Of blocks that are to come one after the other, those into which the one before reached: their names and numbers.
    *
    * @param by for longer than this they were under way together
    */
  def reached(by: FiniteDuration): Set[(String, Int)] = {
    val blocks = all.groupBy(one => (one.request, one.block)).toVector
    val spans = blocks.map { case (name, of) => (of.map(_.sentNanos).min, of.map(_.endedNanos).max, name) }.sorted
    spans.zip(spans.drop(1)).collect { case ((_, ended, _), (began, _, name)) if ended - began > by.toNanos => name }.toSet
  }

  /** All but those blocks, each by its name and number. */
  def without(blocks: Set[(String, Int)]): Answers = new Answers(all.filterNot(one => blocks((one.request, one.block))))

  /** How many were not answered as they should be: with another status, too late for the load generator, or never. */
  def errors: Int = all.count(!_.ok)

  /** How long the good answers took. */
  def latency: Latencies = Latencies.of(all.collect { case answer if answer.ok => answer.nanos })

  /** How many were sent and not yet answered, as seconds since the first was sent and a number, for [[lab.chart.Chart.lines]]; of several
    * blocks the mean.
    */
  def underWay(every: FiniteDuration = 100.millis): Seq[(Double, Double)] = {
    val (last, several) = (all.map(_.endedNanos).max, all.map(_.block).distinct.size.toDouble)
    (0L to last by every.toNanos).map(at => at / 1e9 -> all.count(one => one.sentNanos <= at && one.endedNanos > at) / several)
  }

  /** How long the answer took, against when the request was sent: seconds since the first, and the median of each slice in seconds. */
  def overTime(every: FiniteDuration = 200.millis): Seq[(Double, Double)] = all
    .groupBy(_.sentNanos / every.toNanos)
    .toSeq
    .sortBy(_._1)
    .map { case (slice, found) => (slice + 0.5) * every.toNanos / 1e9 -> found.map(_.nanos).sorted.apply(found.size / 2) / 1e9 }

  /** Good answers a second, between the first and the last answer of a block: neither the time until the first one nor a block's length has a
    * part in it. 0 where no block has two.
    */
  def perSecond: Double = {
    val ended = all.filter(_.ok).groupBy(_.block).values.map(_.map(_.endedNanos))
    val nanos = ended.map(of => of.max - of.min).sum
    if (nanos == 0) 0 else ended.map(_.size - 1).sum * 1e9 / nanos
  }

  override def toString: String = s"${Say.count(all.size, "request")}, ${Say.count(errors, "error")}"
}

object Answers {

  /** To be called by a simulation when a request is answered or given up: prints what [[Gatling.run]] hears.
    *
    * @param sentNanos `System.nanoTime` when it was sent
    * @param block     which part of the load of this name it belongs to; 0 is a warm-up, which doesn't count
    */
  def tell(request: String, sentNanos: Long, ok: Boolean, block: Int = 1): Unit =
    println(s"answer $request $block $sentNanos ${System.nanoTime - sentNanos} $ok")

  private[load] val Line = "answer (\\S+) (\\d+) (\\d+) (\\d+) (true|false)".r

  private[load] def read(lines: Vector[String]): Answers = {
    val all = lines
      .collect { case Line(request, block, sent, nanos, ok) => Answer(request, block.toInt, sent.toLong, nanos.toLong, ok.toBoolean) }
      .filter(_.block > 0)
    val first = all.map(_.sentNanos).min
    new Answers(all.map(answer => answer.copy(sentNanos = answer.sentNanos - first)))
  }
}

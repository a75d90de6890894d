package lab

import org.HdrHistogram.Histogram

/** What a [[Load]] measured; immutable. Only calls meant for the time after the warm-up count.
  *
  * @param load         the load in words
  * @param sent         calls made; each was answered, failed or timed out
  * @param answered     calls whose Future succeeded in time
  * @param errors       how many failed, by the exception's class
  * @param timeOuts     calls without an answer in time
  * @param elapsedNanos from the end of the warm-up to the last answer, but at least the time asked for
  * @param latency      from the moment for which a call was ''meant'' to its answer; time-outs enter with the time-out, errors don't enter
  * @param lag          how late the generator made each call; empty for a closed loop, which has no moment to be late for
  */
final class LoadResult(
    val name: String,
    val load: String,
    val sent: Long,
    val answered: Long,
    val errors: Map[String, Long],
    val timeOuts: Long,
    val elapsedNanos: Long,
    val latency: Latencies,
    val lag: Latencies
) {
  def answersPerSecond: Double = answered * 1e9 / elapsedNanos

  /** Set when the generator itself was late enough to show in the latencies: its p99 above 1 ms and above a tenth of the latencies' p99. */
  def warning: Option[String] = {
    val (late, whole) = (lag.percentileNanos(99), latency.percentileNanos(99))
    Option.when(lag.count > 0 && late > 1000000L && late > whole / 10)(
      s"the generator was late itself (p99 ${Say.nanos(late)}), which is part of these latencies: lower the rate, free a CPU, or, if the call blocks, use runBlocking"
    )
  }

  /** One line in words; with the generator's warning, if there is one. */
  def summary: String = {
    val kinds = errors.toSeq.sortBy(-_._2).map { case (kind, n) => s"$n × $kind" }.mkString(", ")
    Seq(
      Some(s"$name, $load: ${Say.number(answersPerSecond)} answers/s"),
      Option.when(latency.count > 0)(latency.summary),
      Option.when(errors.nonEmpty)(s"${Say.count(errors.values.sum.toInt, "error")} ($kinds)"),
      Option.when(timeOuts > 0)(s"$timeOuts timed out"),
      warning.map(text => s"WARNING: $text")
    ).flatten.mkString("; ")
  }

  def table: Table = Load.table(this)

  /** Draws the percentile curve under the running cell. */
  def show(): Unit = Load.chart(summary)(this).show()

  override def toString: String = summary
}

/** Durations in an HdrHistogram of three significant digits; immutable. */
final class Latencies private (histogram: Histogram) {
  def count: Long = histogram.getTotalCount

  /** The value that `percent` per cent of the durations don't exceed, to three digits; 0 where nothing was measured.
    *
    * @throws java.lang.IllegalArgumentException if `percent` isn't between 0 and 100
    */
  def percentileNanos(percent: Double): Long = {
    Load.check(percent >= 0 && percent <= 100, s"percent = $percent", "a percentile lies between 0 and 100", "For the median take 50.")
    if (count == 0) 0 else histogram.getValueAtPercentile(percent)
  }

  def maxNanos: Long = if (count == 0) 0 else histogram.getMaxValue
  def meanNanos: Double = if (count == 0) 0 else histogram.getMean

  /** "p50 1.2 ms, p95 3.4 ms, p99 5.6 ms, max 7.8 ms". */
  def summary: String =
    (Seq(50, 95, 99).map(p => s"p$p ${Say.nanos(percentileNanos(p.toDouble))}") :+ s"max ${Say.nanos(maxNanos)}").mkString(", ")

  /** Percentile and value, from the lowest up, denser towards 100; the last is as far as so many durations can tell. */
  private[lab] def curve: Seq[(Double, Long)] = if (count == 0) Nil
  else {
    val points = Vector.newBuilder[(Double, Long)]
    val last = 100 * (1 - 1.0 / (count + 1))
    histogram.percentiles(10).forEach(at => points += ((math.min(at.getPercentileLevelIteratedTo, last), at.getValueIteratedTo)): Unit)
    points.result().distinct
  }

  /** Lower edge, upper edge and how many, for classes that each are `factor` times as wide as the one before. */
  private[lab] def classes(factor: Double): Seq[(Long, Long, Long)] = if (count == 0) Nil
  else {
    val found = Vector.newBuilder[(Long, Long, Long)]
    val lowest = math.max(1000L, histogram.getMinNonZeroValue)
    histogram
      .logarithmicBucketValues(lowest, factor)
      .forEach(at => found += ((at.getValueIteratedFrom, at.getValueIteratedTo, at.getCountAddedInThisIterationStep)): Unit)
    found.result().dropWhile(_._3 == 0)
  }

  override def toString: String = if (count == 0) "nothing measured" else s"${Say.count(count.toInt, "duration")}: $summary"
}

object Latencies {

  /** How much wider than the one before each class is when all these are drawn in the same ones: a quarter, or less where that would leave fewer than thirty. */
  private[lab] def classFactor(all: Seq[Latencies]): Double = {
    val measured = all.filter(_.count > 0)
    val (low, high) = (measured.map(_.percentileNanos(0).max(1000)).minOption, measured.map(_.maxNanos.max(1000)).maxOption)
    (for (from <- low; until <- high) yield math.pow(until.toDouble / from, 1.0 / 30).max(1.01).min(1.25)).getOrElse(1.25)
  }

  /** Of durations measured elsewhere, in nanoseconds; a negative one counts as 0. */
  def of(nanos: Iterable[Long]): Latencies = {
    val all = new Histogram(3)
    nanos.foreach(one => all.recordValue(math.max(0L, one)))
    new Latencies(all)
  }

  /** A copy: later changes to `histogram` don't show. */
  private[lab] def of(histogram: Histogram): Latencies = new Latencies(histogram.copy)
}

/** What a running load has counted; any thread may call it. */
private final class LoadRecord {
  private val latency, lag = new Histogram(3)
  private var all, good, late = 0L
  private var lastNanos = Long.MinValue
  private var errors = Map.empty[String, Long].withDefaultValue(0L)

  def sent(lateBy: Option[Long]): Unit = synchronized {
    all += 1
    lateBy.foreach(nanos => lag.recordValue(math.max(0L, nanos)))
  }
  def answered(nanos: Long, now: Long): Unit = synchronized {
    good += 1
    lastNanos = now
    latency.recordValue(nanos)
  }
  def failed(cause: Throwable): Unit = synchronized { errors += cause.getClass.getName -> (errors(cause.getClass.getName) + 1) }
  def timedOut(after: Long): Unit = synchronized {
    late += 1
    latency.recordValue(after)
  }

  def words: String = synchronized {
    val p99 = if (latency.getTotalCount == 0) "" else s", p99 so far ${Say.nanos(latency.getValueAtPercentile(99))}"
    s"$all sent, $good answered, ${errors.values.sum} failed, $late timed out$p99"
  }

  def result(name: String, load: String, fromNanos: Long, atLeast: Long): LoadResult = synchronized {
    val elapsed = if (good == 0) atLeast else math.max(atLeast, lastNanos - fromNanos)
    new LoadResult(name, load, all, good, errors.toMap, late, elapsed, Latencies.of(latency), Latencies.of(lag))
  }
}

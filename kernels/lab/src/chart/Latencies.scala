package lab.chart

import org.HdrHistogram.{Histogram, PackedHistogram}

import lab.show.Say

/** Durations in an HdrHistogram of three significant digits. It is immutable. */
final class Latencies private (histogram: Histogram) {

  /** Returns the number of durations. */
  def count: Long = histogram.getTotalCount

  /** Returns the value in nanoseconds that `percent` per cent of the durations don't exceed, to three digits; 0 if nothing was measured.
    *
    * @throws java.lang.IllegalArgumentException if `percent` isn't between 0 and 100
    */
  def percentileNanos(percent: Double): Long = {
    if (!(percent >= 0 && percent <= 100))
      throw new IllegalArgumentException(s"percent = $percent: a percentile is between 0 and 100. The median is 50.")
    if (count == 0) 0 else histogram.getValueAtPercentile(percent)
  }

  /** Returns the longest duration in nanoseconds, to three digits; 0 if nothing was measured. */
  def maxNanos: Long = if (count == 0) 0 else histogram.getMaxValue

  /** Describes the durations: "p50 1.2 ms, p95 3.4 ms, p99 5.6 ms, max 7.8 ms". */
  def summary: String =
    (Seq(50, 95, 99).map(p => s"p$p ${Say.nanos(percentileNanos(p.toDouble))}") :+ s"max ${Say.nanos(maxNanos)}").mkString(", ")

  /** Returns percentiles and values, from the lowest percentile up, denser towards 100. The last one is the highest that this number of
    * durations can show.
    */
  private[chart] def curve: Seq[(Double, Long)] = if (count == 0) Nil
  else {
    val points = Vector.newBuilder[(Double, Long)]
    val last = 100 * (1 - 1.0 / (count + 1))
    histogram.percentiles(10).forEach(at => points += ((math.min(at.getPercentileLevelIteratedTo, last), at.getValueIteratedTo)): Unit)
    points.result().distinct
  }

  override def toString: String = if (count == 0) "nothing measured" else s"${Say.count(count.toInt, "duration")}: $summary"
}

object Latencies {

  /** Creates latencies from durations in nanoseconds. A negative duration counts as 0. */
  def of(nanos: Iterable[Long]): Latencies = {
    val all = new Histogram(3)
    nanos.foreach(one => all.recordValue(math.max(0L, one)))
    of(all)
  }

  /** Creates latencies from a copy, so later changes to `histogram` have no effect. The copy is packed, because a page that runs again
    * keeps earlier results, and most counts of a histogram are zero.
    */
  private[lab] def of(histogram: Histogram): Latencies = {
    val packed = new PackedHistogram(histogram.getNumberOfSignificantValueDigits)
    packed.add(histogram)
    new Latencies(packed)
  }
}

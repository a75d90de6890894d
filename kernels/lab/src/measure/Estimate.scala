package lab.measure

import java.util.Locale

import lab.chart.Chart

import org.apache.commons.statistics.distribution.TDistribution

/** A measured value, and between which bounds it lies. Two timings are compared by their intervals, never by two numbers.
  *
  * {{{
  * scores.ratio("global", "direct")   // × 8.12 (7.40 to 8.91)
  * }}}
  *
  * @param value the measured one
  * @param low   the lower bound
  * @param high  the upper bound
  * @param unit  of all three; `×` for a ratio, which is written before the value
  */
final case class Estimate(value: Double, low: Double, high: Double, unit: String = "") {
  if (!(low <= value && value <= high)) // also where one of them isn't a number
    throw new IllegalArgumentException(s"an interval needs low <= value <= high, not $low, $value, $high")

  /** Whether all of it lies above `bound`. */
  def isAbove(bound: Double): Boolean = low > bound

  /** Whether all of it lies below `bound`. */
  def isBelow(bound: Double): Boolean = high < bound

  /** Its bar in a chart; with an error bar where it has bounds, and the upper one is known. */
  def bar: Chart.Value = if (low == high || high.isInfinite) Chart.Value(value) else Chart.Value(value, high - value, value - low)

  /** How many times `other` this is, if the two are independent: relative errors are added as squares, on the scale of logarithms, so that
    * no bound is negative (JCGM 100:2008, 5.1.6).
    *
    * @throws java.lang.IllegalArgumentException unless both values are above zero
    */
  def over(other: Estimate): Estimate = {
    if (value <= 0 || other.value <= 0)
      throw new IllegalArgumentException(s"only values above zero have a ratio, not $value and ${other.value}")
    def away(low: Double, value: Double, high: Double): Double =
      if (high.isInfinite) Double.PositiveInfinity else (high - value).max(value - low) / value
    val error = math.hypot(away(low, value, high), away(other.low, other.value, other.high))
    val ratio = value / other.value
    Estimate(ratio, ratio * math.exp(-error), ratio * math.exp(error), "×")
  }

  override def toString: String = {
    val bounds =
      if (low == high) ""
      else if (high.isInfinite) " (no bounds are known)"
      else if (low > 0 && high / low > Estimate.anything) " (bounds that are too far apart to say anything)"
      else s" (${Estimate.digits(low)} to ${Estimate.digits(high)})"
    if (unit == "×") s"× ${Estimate.digits(value)}$bounds" else s"${Estimate.digits(value)}$bounds $unit".trim
  }
}

object Estimate {

  /** Bounds that are so many times apart say no more than that it was measured. */
  private val anything = 1000.0

  /** Of what is counted and not measured: no bounds. */
  def exactly(value: Double, unit: String = ""): Estimate = Estimate(value, value, value, unit)

  /** Where the mean of repeated measurements lies, on the scale of logarithms: times are products of causes, and what slows them is
    * one-sided. The value is the geometric mean, the bounds are Student's t.
    *
    * @param confidence that the bounds hold the mean; 99 % unless told
    * @throws java.lang.IllegalArgumentException unless there are three or more measurements, all above zero and finite
    */
  def of(measured: Seq[Double], unit: String = "", confidence: Double = 0.99): Estimate = {
    if (measured.sizeIs < 3 || measured.exists(one => !(one > 0) || one.isInfinite))
      throw new IllegalArgumentException(
        s"an interval needs three or more measurements, each above zero and finite, not ${measured.mkString(", ")}"
      )
    val logs = measured.map(math.log)
    val mean = logs.sum / logs.size
    val variance = logs.map(log => (log - mean) * (log - mean)).sum / (logs.size - 1)
    val quantile = TDistribution.of(logs.size - 1.0).inverseSurvivalProbability((1 - confidence) / 2)
    val away = quantile * math.sqrt(variance / logs.size)
    Estimate(math.exp(mean), math.exp(mean - away), math.exp(mean + away), unit)
  }

  /** Three digits that count, however small or large. */
  private[lab] def digits(value: Double): String =
    if (value.isNaN || value.isInfinite) value.toString
    else if (math.abs(value) >= 100) String.format(Locale.ROOT, "%,d", Long.box(math.round(value)))
    else {
      val decimals = if (value == 0) 0 else (2 - math.floor(math.log10(math.abs(value))).toInt).min(9)
      String.format(Locale.ROOT, s"%.${decimals}f", Double.box(value))
    }
}

/** What a measurement is held against, and where that comes from: an article, a specification, or the course's own word.
  *
  * @param source in words that fit behind "threshold 1.25:"
  */
final case class Threshold(value: Double, source: String) {
  if (source.trim.isEmpty) throw new IllegalArgumentException(s"the threshold $value doesn't say where it comes from")
  override def toString: String = s"${Estimate.digits(value)}, $source"
}

object Threshold {

  /** A fifth more or less is what the course calls "about equal", where nobody else says what is. */
  val aboutEqual: Threshold = Threshold(1.25, "the course's own: less than a quarter more is about equal")
}

package lab.measure

import java.util.Locale

import lab.chart.Chart

import org.apache.commons.statistics.distribution.TDistribution

/** A measured value and the bounds between which it lies. Two timings are compared by their intervals, never by two numbers.
  *
  * {{{
  * scores.ratio("global", "direct")   // × 8.12 (7.40 to 8.91)
  * }}}
  *
  * @param value the measured value
  * @param low   the lower bound
  * @param high  the upper bound
  * @param unit  the unit of all three; `×` marks a ratio and is written before the value
  */
final case class Estimate(value: Double, low: Double, high: Double, unit: String = "") {
  if (!(low <= value && value <= high)) // written so that NaN fails too
    throw new IllegalArgumentException(s"an interval needs low <= value <= high, not $low, $value, $high")

  /** Returns whether the whole interval lies above `bound`. */
  def isAbove(bound: Double): Boolean = low > bound

  /** Returns whether the whole interval lies below `bound`. */
  def isBelow(bound: Double): Boolean = high < bound

  /** Returns the value's bar for a chart, with an error bar if it has bounds and the upper one is known. */
  def bar: Chart.Value = if (low == high || high.isInfinite) Chart.Value(value) else Chart.Value(value, high - value, value - low)

  /** Returns whether the whole interval lies on one side of a threshold, so that the measurement decides. */
  def decides(threshold: Threshold): Boolean = isAbove(threshold.value) || isBelow(threshold.value)

  /** Returns how many times `other` this value is. The lower bound is this lower bound divided by the other's upper one, and the upper
    * bound is this upper bound divided by the other's lower one. These bounds hold no matter how large the errors are, and whether or not
    * the two are independent. For values that were measured in turn, the ratios within each round ([[Rounds.ratio]]) give narrower bounds.
    * A lower bound of zero or less counts as unknown.
    *
    * @throws java.lang.IllegalArgumentException unless both values are above zero
    */
  def over(other: Estimate): Estimate = {
    if (value <= 0 || other.value <= 0)
      throw new IllegalArgumentException(s"only values above zero have a ratio, not $value and ${other.value}")
    Estimate(
      value / other.value,
      if (other.high.isInfinite) 0 else low.max(0) / other.high,
      if (other.low > 0) high / other.low else Double.PositiveInfinity,
      "×"
    )
  }

  override def toString: String = shown(Estimate.digits, "")

  /** Renders the value in words, with `more` after the bounds. */
  private[lab] def shown(digits: Double => String, more: String): String = {
    val bounds =
      if (low == high) ""
      else if (high.isInfinite) "no bounds are known"
      else if (low > 0 && high / low > Estimate.anything) "bounds that are too far apart to say anything"
      else s"${digits(low)} to ${digits(high)}"
    val within = Seq(bounds, more).filter(_.nonEmpty)
    val said = digits(value) + (if (within.isEmpty) "" else within.mkString(" (", "; ", ")"))
    if (unit == "×") s"× $said" else s"$said $unit".trim
  }
}

object Estimate {

  /** If the bounds are this many times apart, they say no more than that something was measured. */
  private val anything = 1000.0

  /** Builds an estimate without bounds, for what was counted rather than measured. */
  def exactly(value: Double, unit: String = ""): Estimate = Estimate(value, value, value, unit)

  /** From this many measurements on, a fifth is trimmed at either end. Trimming fewer would leave too little. */
  private val trimmedFrom = 8

  /** Estimates where repeated measurements lie, on a logarithmic scale. Times are products of several causes, and what slows them acts in
    * one direction.
    *
    * From eight measurements on, the value is the 20 % trimmed mean. The bounds are those of J. W. Tukey and D. H. McLaughlin (''Sankhyā
    * A'' 25, 1963), with which K. K. Yuen (''Biometrika'' 61, 1974) compared two means. A single disturbed measurement moves them little.
    * With fewer measurements, the value is the geometric mean and the bounds are Student's t.
    *
    * @param confidence the probability that the bounds hold; 99 % by default
    * @throws java.lang.IllegalArgumentException unless there are at least three measurements, all above zero and finite
    */
  def of(measured: Seq[Double], unit: String = "", confidence: Double = 0.99): Estimate = {
    if (measured.sizeIs < 3 || measured.exists(one => !(one > 0) || one.isInfinite))
      throw new IllegalArgumentException(
        s"an interval needs three or more measurements, each above zero and finite, not ${measured.mkString(", ")}"
      )
    val logs = measured.map(math.log).sorted
    val cut = if (logs.sizeIs < trimmedFrom) 0 else logs.size / 5
    val kept = logs.slice(cut, logs.size - cut)
    // Winsorized: each trimmed value is replaced by the nearest one that was kept.
    val pulled = Seq.fill(cut)(kept.head) ++ kept ++ Seq.fill(cut)(kept.last)
    val (center, middle) = (kept.sum / kept.size, pulled.sum / pulled.size)
    val squares = pulled.map(log => (log - middle) * (log - middle)).sum
    val quantile = TDistribution.of(kept.size - 1.0).inverseSurvivalProbability((1 - confidence) / 2)
    val away = quantile * math.sqrt(squares / (kept.size * (kept.size - 1.0)))
    Estimate(math.exp(center), math.exp(center - away), math.exp(center + away), unit)
  }

  /** Renders a number with three significant digits, however small or large. */
  private[lab] def digits(value: Double): String =
    if (value.isNaN || value.isInfinite) value.toString
    else if (math.abs(value) >= 100) String.format(Locale.ROOT, "%,d", Long.box(math.round(value)))
    else {
      val decimals = if (value == 0) 0 else (2 - math.floor(math.log10(math.abs(value))).toInt).min(9)
      String.format(Locale.ROOT, s"%.${decimals}f", Double.box(value))
    }
}

/** A limit that a measurement is compared with, and its source: an article, a specification, or the course itself.
  *
  * @param source words that fit after "threshold 1.25:"
  */
final case class Threshold(value: Double, source: String) {
  if (source.trim.isEmpty) throw new IllegalArgumentException(s"the threshold $value doesn't say where it comes from")
  override def toString: String = s"${Estimate.digits(value)}, $source"
}

object Threshold {

  /** The course's threshold for "about equal" if nobody else states one: at most a quarter above, or a fifth below. */
  val aboutEqual: Threshold = Threshold(1.25, "the course's own: less than a quarter more is about equal")
}

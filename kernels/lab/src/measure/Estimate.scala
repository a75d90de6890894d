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

  /** Whether it lies wholly on one side of a threshold, so that the two can be told apart. */
  def decides(threshold: Threshold): Boolean = isAbove(threshold.value) || isBelow(threshold.value)

  /** How many times `other` this is, between the corners: from the lower bound over the other's upper one to the upper over the lower. These
    * bounds hold however large the errors are, and whether or not the two are independent; of what was measured in turn, the ratios of each
    * round ([[Rounds.ratio]]) give narrower ones. A lower bound that isn't above zero is taken as none.
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

  /** In words, with `more` behind the bounds. */
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

  /** Bounds that are so many times apart say no more than that it was measured. */
  private val anything = 1000.0

  /** Of what is counted and not measured: no bounds. */
  def exactly(value: Double, unit: String = ""): Estimate = Estimate(value, value, value, unit)

  /** From so many measurements on a fifth at either end is trimmed; of fewer too little would be left. */
  private val trimmedFrom = 8

  /** Where repeated measurements lie, on the scale of logarithms: times are products of causes, and what slows them is one-sided.
    *
    * From eight measurements on the value is the 20 % trimmed mean, and the bounds are those of J. W. Tukey and D. H. McLaughlin
    * (''Sankhyā A'' 25, 1963), which K. K. Yuen (''Biometrika'' 61, 1974) compared two means by: one measurement that something else
    * disturbed moves them little. Of fewer the value is the geometric mean, and the bounds are Student's t.
    *
    * @param confidence that the bounds hold; 99 % unless told
    * @throws java.lang.IllegalArgumentException unless there are three or more measurements, all above zero and finite
    */
  def of(measured: Seq[Double], unit: String = "", confidence: Double = 0.99): Estimate = {
    if (measured.sizeIs < 3 || measured.exists(one => !(one > 0) || one.isInfinite))
      throw new IllegalArgumentException(
        s"an interval needs three or more measurements, each above zero and finite, not ${measured.mkString(", ")}"
      )
    val logs = measured.map(math.log).sorted
    val cut = if (logs.sizeIs < trimmedFrom) 0 else logs.size / 5
    val kept = logs.slice(cut, logs.size - cut)
    // Winsorized: in place of each that was trimmed, the nearest that was kept.
    val pulled = Seq.fill(cut)(kept.head) ++ kept ++ Seq.fill(cut)(kept.last)
    val (center, middle) = (kept.sum / kept.size, pulled.sum / pulled.size)
    val squares = pulled.map(log => (log - middle) * (log - middle)).sum
    val quantile = TDistribution.of(kept.size - 1.0).inverseSurvivalProbability((1 - confidence) / 2)
    val away = quantile * math.sqrt(squares / (kept.size * (kept.size - 1.0)))
    Estimate(math.exp(center), math.exp(center - away), math.exp(center + away), unit)
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

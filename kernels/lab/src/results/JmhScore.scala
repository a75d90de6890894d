package lab

import java.util.Locale

/** One measured benchmark.
  *
  * @param benchmark class and method, with the package
  * @param mode      JMH's short name: `thrpt` (more is better); `avgt`, `sample` or `ss` (less is better)
  * @param params    the values of its `@Param` fields
  * @param scala     version of the Scala library it ran with
  * @param jdk       version of the JDK that measured it
  * @param score     in `unit`
  * @param error     half of the 99.9 % confidence interval, in `unit`; `NaN` where JMH had too few iterations for one
  * @param unit      JMH's spelling: `ns/op`, `ops/us`, …
  * @param samples   the score of every measured iteration, fork after fork
  * @param more      what profilers and `@AuxCounters` added: label to score and unit
  * @param percentiles of the times of single calls, percent to time in `unit` (100 is the longest); in the mode `sample` only
  * @param recording where it comes from if it wasn't measured here and now
  */
final case class JmhScore(
    benchmark: String,
    mode: String,
    params: Map[String, String],
    scala: String,
    jdk: String,
    score: Double,
    error: Double,
    unit: String,
    samples: Vector[Double] = Vector.empty,
    more: Map[String, (Double, String)] = Map.empty,
    percentiles: Map[Double, Double] = Map.empty,
    recording: Option[Recording] = None
) {

  /** Class and method without the package. */
  def name: String = JmhScore.shortName(benchmark)

  /** Where the score lies with 99.9 % confidence; a point where the error isn't known. */
  def interval: (Double, Double) = if (error.isNaN) (score, score) else (score - error, score + error)

  /** How many times `other` this score is.
    *
    * @throws java.lang.IllegalArgumentException if modes or units differ
    */
  def over(other: JmhScore): JmhRatio = {
    require(
      mode == other.mode && unit == other.unit,
      s"can't compare $name ($mode, $unit) with ${other.name} (${other.mode}, ${other.unit}): modes and units must agree; choose them with -bm and -tu"
    )
    val ((low, high), (otherLow, otherHigh)) = (interval, other.interval)
    JmhRatio(score / other.score, low / otherHigh, if (otherLow > 0) high / otherLow else Double.PositiveInfinity)
  }

  private[lab] def moreIsBetter: Boolean = mode == "thrpt"

  override def toString: String = {
    val values = if (params.isEmpty) "" else params.map { case (name, value) => s"$name=$value" }.mkString(" (", ", ", ")")
    s"$name$values: ${JmhScore.digits(score)}${JmhScore
        .plusMinus(error)} $unit ($mode, Scala $scala, JDK $jdk${recording.fold("")(r => s", $r")})"
  }
}

object JmhScore {

  private[lab] def shortName(benchmark: String): String = benchmark.split('.').takeRight(2).mkString(".")

  /** " ± 0.12"; empty where the error isn't known. */
  private[lab] def plusMinus(error: Double): String = if (error.isNaN) "" else s" ± ${digits(error)}"

  /** Three digits that count, however small or large. */
  private[lab] def digits(value: Double): String =
    if (value.isNaN || value.isInfinite) value.toString
    else if (math.abs(value) >= 100) String.format(Locale.ROOT, "%,d", Long.box(math.round(value)))
    else {
      val decimals = if (value == 0) 0 else (2 - math.floor(math.log10(math.abs(value))).toInt).min(9)
      String.format(Locale.ROOT, s"%.${decimals}f", Double.box(value))
    }
}

/** A quotient of two scores, and between which bounds it lies if both scores lie within their errors. */
final case class JmhRatio(value: Double, low: Double, high: Double) {
  override def toString: String = s"× ${JmhScore.digits(value)} (${JmhScore.digits(low)} to ${JmhScore.digits(high)})"
}

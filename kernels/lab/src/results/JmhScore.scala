package lab.results

import lab.measure.Estimate

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

  /** The JDK's number: 8 of 1.8.0_504, 25 of 25.0.2. */
  private[lab] def jdkNumber: String = jdk.stripPrefix("1.").takeWhile(_.isDigit)

  /** Where the score lies with 99.9 % confidence, in `unit`; without known bounds where JMH had too few iterations for an error. */
  def estimate: Estimate =
    if (error.isNaN) Estimate(score, Double.NegativeInfinity, Double.PositiveInfinity, unit)
    else Estimate(score, score - error, score + error, unit)

  /** How many times `other` this score is.
    *
    * @throws java.lang.IllegalArgumentException if modes or units differ
    */
  def over(other: JmhScore): Estimate = {
    require(
      mode == other.mode && unit == other.unit,
      s"can't compare $name ($mode, $unit) with ${other.name} (${other.mode}, ${other.unit}): modes and units must agree; choose them with -bm and -tu"
    )
    estimate.over(other.estimate)
  }

  private[results] def moreIsBetter: Boolean = mode == "thrpt"

  override def toString: String = {
    val values = if (params.isEmpty) "" else params.map { case (name, value) => s"$name=$value" }.mkString(" (", ", ", ")")
    s"$name$values: ${Estimate.digits(score)}${JmhScore
        .plusMinus(error)} $unit ($mode, Scala $scala, JDK $jdk${recording.fold("")(r => s", $r")})"
  }
}

object JmhScore {

  private[lab] def shortName(benchmark: String): String = benchmark.split('.').takeRight(2).mkString(".")

  /** " ± 0.12"; empty where the error isn't known. */
  private[results] def plusMinus(error: Double): String = if (error.isNaN) "" else s" ± ${Estimate.digits(error)}"
}

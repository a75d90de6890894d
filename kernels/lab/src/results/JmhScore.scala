package lab.results

import lab.measure.Estimate

/** One measured benchmark.
  *
  * @param benchmark   class and method, with the package
  * @param mode        JMH's short name: `thrpt` (more is better); `avgt`, `sample` or `ss` (less is better)
  * @param params      the values of its `@Param` fields
  * @param scala       the version of the Scala library that it ran with
  * @param jdk         the version of the JDK that measured it
  * @param score       the score in `unit`. From three forks on, it is estimated from their means ([[lab.measure.Estimate.of]]); with fewer,
  *                    it is JMH's own, the mean of all iterations
  * @param error       half of the interval in `unit`. From three forks on, it holds with 99 % confidence by their means. With fewer, it is
  *                    JMH's own with 99.9 %, which treats the iterations as independent; `NaN` if there were too few for one
  * @param unit        JMH's spelling: `ns/op`, `ops/us`, …
  * @param samples     the score of every measured iteration, fork after fork
  * @param forks       the mean of every fork, in the order in which they ran; empty if a recording doesn't say
  * @param more        what profilers and `@AuxCounters` added: label to score and unit
  * @param percentiles percentiles of the times of single calls, percent to time in `unit` (100 is the longest); in the mode `sample` only
  * @param run         the JMH run that it belongs to; scores with the same run were measured in turn, fork by fork
  * @param recording   where the score comes from, if it wasn't measured here and now
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
    forks: Vector[Double] = Vector.empty,
    more: Map[String, (Double, String)] = Map.empty,
    percentiles: Map[Double, Double] = Map.empty,
    run: String = "",
    recording: Option[Recording] = None
) {

  /** Returns class and method, without the package. */
  def name: String = JmhScore.shortName(benchmark)

  /** Returns the JDK's number: 8 for 1.8.0_504, 25 for 25.0.2. */
  private[lab] def jdkNumber: String = jdk.stripPrefix("1.").takeWhile(_.isDigit)

  /** Estimates where the score lies, in `unit`. From three forks on, it uses their means with 99 % confidence
    * ([[lab.measure.Estimate.of]]), since the iterations of one JVM resemble each other. With fewer forks it uses JMH's own error. If there
    * is none, no bounds are known.
    */
  def estimate: Estimate =
    if (severalForks) Estimate.of(forks, unit)
    else if (error.isNaN) Estimate(score, Double.NegativeInfinity, Double.PositiveInfinity, unit)
    else Estimate(score, score - error, score + error, unit)

  /** Returns how many times `other` this score is. If at least three forks of each were measured in the same rounds, it uses their ratios.
    * Otherwise it uses [[lab.measure.Estimate.over]].
    *
    * @throws java.lang.IllegalArgumentException if modes or units differ
    */
  def over(other: JmhScore): Estimate = {
    require(
      mode == other.mode && unit == other.unit,
      s"can't compare $name ($mode, $unit) with ${other.name} (${other.mode}, ${other.unit}): modes and units must agree; choose them with -bm and -tu"
    )
    val together = severalForks && run.nonEmpty && run == other.run && recording == other.recording && forks.size == other.forks.size
    if (together) Estimate.of(forks.lazyZip(other.forks).map(_ / _), "×") else estimate.over(other.estimate)
  }

  /** Returns the score with value and error by the means of the forks, if there are enough of them. */
  private[lab] def byForks: JmhScore =
    if (severalForks) copy(score = estimate.value, error = (estimate.high - estimate.low) / 2) else this

  /** Returns the score in another unit, in which its number is `factor` times as large. */
  private[results] def in(unit: String, factor: Double): JmhScore =
    copy(score = score * factor, error = error * factor, unit = unit, samples = samples.map(_ * factor), forks = forks.map(_ * factor))

  private def severalForks: Boolean = forks.sizeIs >= 3 && forks.forall(mean => mean > 0 && !mean.isInfinite)

  private[results] def moreIsBetter: Boolean = mode == "thrpt"

  override def toString: String = {
    val values = if (params.isEmpty) "" else params.map { case (name, value) => s"$name=$value" }.mkString(" (", ", ", ")")
    s"$name$values: ${JmhScore.shown(estimate)} $unit ($mode, Scala $scala, JDK $jdk${recording.fold("")(r => s", $r")})"
  }
}

object JmhScore {

  private[lab] def shortName(benchmark: String): String = benchmark.split('.').takeRight(2).mkString(".")

  /** Renders an estimate without its unit: "4.12 (3.90 to 4.35)", or "4.12" if the bounds aren't known. */
  private[results] def shown(estimate: Estimate): String =
    Estimate.digits(estimate.value) + (if (estimate.high.isInfinite) "" else s" (${bounds(estimate)})")

  private[results] def bounds(estimate: Estimate): String =
    if (estimate.high.isInfinite) "–" else s"${Estimate.digits(estimate.low)} to ${Estimate.digits(estimate.high)}"
}

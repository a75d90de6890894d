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

/** What a `%%jmh` cell leaves in the session. Results of several cells are combined with `++`.
  *
  * @param missing what could not be measured and why, for instance a JDK that isn't there
  */
final class JmhResults(val scores: Vector[JmhScore], val missing: Vector[String] = Vector.empty) {

  def ++(other: JmhResults): JmhResults = new JmhResults(scores ++ other.scores, missing ++ other.missing)

  def filter(keep: JmhScore => Boolean): JmhResults = new JmhResults(scores.filter(keep), missing)

  /** Those of one Scala and one JDK: of this Scala version, else of the newest with the same first two numbers, else of the newest; and of this JDK, else of the newest. */
  private[lab] def nearest(scala: String, jdk: Int): JmhResults = {
    import Ordering.Implicits._
    def numbers(version: String): Seq[BigInt] = "\\d+".r.findAllIn(version).map(BigInt(_)).toSeq
    def binary(version: String): Seq[BigInt] = numbers(version).take(2)
    val versions = scores.map(score => (score.scala, score.jdk)).distinct.maxByOption { case (one, on) =>
      (one == scala, binary(one) == binary(scala), numbers(one), numbers(on).headOption.contains(BigInt(jdk)), numbers(on))
    }
    filter(score => versions.contains((score.scala, score.jdk)))
  }

  /** The one score whose benchmark ends in `name` (`global`, `Futures.global`).
    *
    * @throws java.util.NoSuchElementException if there is none or more than one, with what there is
    */
  def apply(name: String): JmhScore = scores.filter(score => s".${score.benchmark}".endsWith(s".$name")) match {
    case Vector(one) => one
    case Vector() =>
      throw new NoSuchElementException(s"no benchmark ends in '$name'; there are: ${scores.map(_.name).distinct.mkString(", ")}")
    case several =>
      throw new NoSuchElementException(s"${several.size} scores end in '$name', narrow them down with filter: ${several.mkString("; ")}")
  }

  /** How many times `other` the score of `one` is, both named as for [[apply]]. */
  def ratio(one: String, other: String): JmhRatio = apply(one).over(apply(other))

  /** Every score as a row. */
  def table: Table = Table(
    s"JMH scores${recordings.map(r => s", $r").mkString}",
    Seq("benchmark", "mode", "params", "Scala", "JDK", "score", "error", "unit"),
    scores.map { score =>
      val params = score.params.map { case (name, value) => s"$name=$value" }.mkString(", ")
      val error = if (score.error.isNaN) "–" else "± " + JmhScore.digits(score.error)
      Seq(score.name, score.mode, params, score.scala, score.jdk, JmhScore.digits(score.score), error, score.unit)
    }
  )

  /** Where scores come from that weren't measured here and now. */
  def recordings: Vector[Recording] = scores.flatMap(_.recording).distinct

  /** "measured here and now", or where it was recorded and when: for titles. */
  def where: String = (Option.when(measuredHere)("measured here and now") ++ recordings).mkString("; ")

  /** Whether any of it was measured in this session; true of no scores at all. */
  private[lab] def measuredHere: Boolean = scores.isEmpty || scores.exists(_.recording.isEmpty)

  /** The recordings with their machines, profiles and versions, as [[Machine]] says it of this one. */
  private[lab] def recordedConditions: Vector[String] = recordings.map { recording =>
    val of = scores.filter(_.recording.contains(recording))
    def machine(name: String): String = recording.machine.getOrElse(name, "–")
    val (jdks, scalas) = (of.map(_.jdk.takeWhile(_ != '.')).distinct, of.map(_.scala).distinct)
    s"$recording: ${Machine.words(machine("cpus"), jdks.mkString(", "), scalas.mkString(", "), machine("profile"))}"
  }

  /** One chart for each mode and unit, with error bars; versions side by side. What is recorded is marked as such. */
  def charts: Seq[Chart] = jmh.Draw(scores)

  override def toString: String =
    Say.count(scores.size, "score") + (if (recordings.isEmpty) "" else s", $where") +
      (if (missing.isEmpty) "" else s", missing: ${missing.mkString("; ")}")
}

object JmhResults {

  /** No scores. */
  val none: JmhResults = new JmhResults(Vector.empty)
}

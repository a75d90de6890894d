package lab.results

import lab.chart.Chart
import lab.machine.Machine
import lab.measure.Estimate
import lab.show.{Say, Table}

/** The results that a `%%jmh` cell leaves in the session. Combine results of several cells with `++`.
  *
  * @param scores  one score for each benchmark, its parameters, Scala version and JDK, in the order in which they were measured
  * @param missing what could not be measured and why, such as a JDK that isn't there
  */
final class JmhResults(val scores: Vector[JmhScore], val missing: Vector[String] = Vector.empty) {

  /** Combines these results with others. */
  def ++(other: JmhResults): JmhResults = new JmhResults(scores ++ other.scores, missing ++ other.missing)

  /** Selects the scores for which `keep` is true. */
  def filter(keep: JmhScore => Boolean): JmhResults = new JmhResults(scores.filter(keep), missing)

  /** Selects the scores of one Scala version and one JDK. It prefers this Scala version, then the newest with the same first two numbers,
    * then the newest; and it prefers this JDK, then the newest.
    */
  private[lab] def nearest(scala: String, jdk: Int): JmhResults = {
    import Ordering.Implicits._
    def numbers(version: String): Seq[BigInt] = "\\d+".r.findAllIn(version).map(BigInt(_)).toSeq
    def binary(version: String): Seq[BigInt] = numbers(version).take(2)
    val nearest = scores.maxByOption { score =>
      val own = score.jdkNumber == s"$jdk"
      (score.scala == scala, binary(score.scala) == binary(scala), numbers(score.scala), own, numbers(score.jdk))
    }
    filter(score => nearest.exists(one => one.scala == score.scala && one.jdk == score.jdk))
  }

  /** Finds the one score whose benchmark ends in `name` (`global`, `Futures.global`).
    *
    * @throws java.util.NoSuchElementException if there is none or more than one; the message names what there is
    */
  def apply(name: String): JmhScore = scores.filter(score => s".${score.benchmark}".endsWith(s".$name")) match {
    case Vector(one) => one
    case Vector() =>
      throw new NoSuchElementException(s"no benchmark ends in '$name'; there are: ${scores.map(_.name).distinct.mkString(", ")}")
    case several =>
      throw new NoSuchElementException(s"${several.size} scores end in '$name', narrow them down with filter: ${several.mkString("; ")}")
  }

  /** Returns how many times `other` the score of `one` is. Both are named as for [[apply]]. */
  def ratio(one: String, other: String): Estimate = apply(one).over(apply(other))

  /** Builds a table with a row for each score, in the unit of its chart, and rows below it for what profilers and counters added. */
  def table: Table = Table(
    s"JMH scores${recordings.map(r => s", $r").mkString}",
    Seq("benchmark", "mode", "params", "Scala", "JDK", "forks", "score", "bounds", "unit"),
    JmhCharts.readable(scores).flatMap { score =>
      val params = score.params.map { case (name, value) => s"$name=$value" }.mkString(", ")
      val from = Seq(score.mode, params, score.scala, score.jdk, if (score.forks.isEmpty) "–" else score.forks.size.toString)
      def row(name: String, found: Estimate) =
        (name +: from) ++ Seq(Estimate.digits(found.value), JmhScore.bounds(found), JmhCharts.micro(found.unit))
      row(score.name, score.estimate) +: score.more.toSeq.sortBy(_._1).map { case (label, (value, unit)) =>
        row(s"${score.name}, $label", Estimate(value, value, Double.PositiveInfinity, unit))
      }
    }
  )

  /** Returns the recordings of the scores that weren't measured here and now. */
  def recordings: Vector[Recording] = scores.flatMap(_.recording).distinct

  /** Describes, for titles, where the scores come from: "measured here and now", or where and when they were recorded. */
  def where: String = (Option.when(measuredHere)("measured here and now") ++ recordings).mkString("; ")

  /** Returns whether any score was measured in this session; also true if there are no scores. */
  private[lab] def measuredHere: Boolean = scores.isEmpty || scores.exists(_.recording.isEmpty)

  /** Describes the recordings with their machines, profiles and versions, in the same form as [[Machine]] describes this machine. */
  private[lab] def recordedConditions: Vector[String] = recordings.map { recording =>
    val own = scores.filter(_.recording.contains(recording))
    def machine(name: String): String = s"${recording.machine.getOrElse(name, "–")}"
    val (jdks, scalas) = (own.map(_.jdkNumber).distinct, own.map(_.scala).distinct)
    s"$recording: ${Machine.description(machine("cpus"), jdks.mkString(", "), scalas.mkString(", "), machine("profile"))}"
  }

  /** Draws one chart for each mode and unit, with error bars and the versions next to each other. Recorded scores are marked. */
  def charts: Seq[Chart] = JmhCharts(scores)

  override def toString: String =
    Say.count(scores.size, "score") + (if (recordings.isEmpty) "" else s", $where") +
      (if (missing.isEmpty) "" else s", missing: ${missing.mkString("; ")}")
}

object JmhResults {

  /** Results without scores. */
  val none: JmhResults = new JmhResults(Vector.empty)
}

package lab.results

import lab.chart.Chart
import lab.machine.Machine
import lab.measure.Estimate
import lab.show.{Say, Table}

/** What a `%%jmh` cell leaves in the session. Results of several cells are combined with `++`.
  *
  * @param scores  one for each benchmark, its parameters, Scala version and JDK, in the order in which they were measured
  * @param missing what could not be measured and why, for instance a JDK that isn't there
  */
final class JmhResults(val scores: Vector[JmhScore], val missing: Vector[String] = Vector.empty) {

  /** These and the other ones. */
  def ++(other: JmhResults): JmhResults = new JmhResults(scores ++ other.scores, missing ++ other.missing)

  /** Only the scores that `keep` is true of. */
  def filter(keep: JmhScore => Boolean): JmhResults = new JmhResults(scores.filter(keep), missing)

  /** Those of one Scala and one JDK: of this Scala version, else of the newest with the same first two numbers, else of the newest; and of
    * this JDK, else of the newest.
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
  def ratio(one: String, other: String): Estimate = apply(one).over(apply(other))

  /** Every score as a row, in the unit of its chart, and below it what profilers and counters added. */
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

  /** Where scores come from that weren't measured here and now. */
  def recordings: Vector[Recording] = scores.flatMap(_.recording).distinct

  /** "measured here and now", or where it was recorded and when: for titles. */
  def where: String = (Option.when(measuredHere)("measured here and now") ++ recordings).mkString("; ")

  /** Whether any of it was measured in this session; true of no scores at all. */
  private[lab] def measuredHere: Boolean = scores.isEmpty || scores.exists(_.recording.isEmpty)

  /** The recordings with their machines, profiles and versions, as [[Machine]] says it of this one. */
  private[lab] def recordedConditions: Vector[String] = recordings.map { recording =>
    val own = scores.filter(_.recording.contains(recording))
    def machine(name: String): String = s"${recording.machine.getOrElse(name, "–")}"
    val (jdks, scalas) = (own.map(_.jdkNumber).distinct, own.map(_.scala).distinct)
    s"$recording: ${Machine.description(machine("cpus"), jdks.mkString(", "), scalas.mkString(", "), machine("profile"))}"
  }

  /** One chart for each mode and unit, with error bars; versions side by side. What is recorded is marked as such. */
  def charts: Seq[Chart] = JmhCharts(scores)

  override def toString: String =
    Say.count(scores.size, "score") + (if (recordings.isEmpty) "" else s", $where") +
      (if (missing.isEmpty) "" else s", missing: ${missing.mkString("; ")}")
}

object JmhResults {

  /** No scores. */
  val none: JmhResults = new JmhResults(Vector.empty)
}

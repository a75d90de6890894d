package lab.results

import lab.chart.{Chart, Look}
import lab.measure.Estimate

/** Draws scores as charts. */
private[lab] object JmhCharts {

  def apply(scores: Seq[JmhScore]): Seq[Chart] = kinds(scores).map { case ((mode, _), own) => chart(mode, readable(own)) }

  /** Returns the same scores, in their order, each in the unit that its chart has, so that a reader finds a number from the table in the
    * chart.
    */
  private[results] def readable(scores: Seq[JmhScore]): Seq[JmhScore] = {
    val units = kinds(scores).map { case (kind, own) => kind -> readableUnit(own.head.unit, own.map(_.score).min) }.toMap
    scores.map { s =>
      val (unit, factor) = units((s.mode, s.unit))
      s.in(unit, factor)
    }
  }

  /** Groups the scores that share a chart. */
  private def kinds(scores: Seq[JmhScore]): Seq[((String, String), Seq[JmhScore])] =
    scores.map(score => (score.mode, score.unit)).distinct.map(kind => kind -> scores.filter(score => (score.mode, score.unit) == kind))

  private def chart(mode: String, scores: Seq[JmhScore]): Chart = {
    val names = Names(scores)
    val unit = micro(scores.head.unit)
    val series = scores.groupBy(names.version).toSeq.sortBy { case (version, _) => scores.indexWhere(names.version(_) == version) }
    val bars = series.map { case (version, of) =>
      (if (version.isEmpty) s"$mode, $unit" else version) -> of.map(score => names.bar(score) -> score.estimate.bar)
    }
    val title = finding(scores, names) + recordedMark(scores)
    val y = s"${measure(mode)} ($unit)"
    // If there are more versions than colours, the versions go along the axis.
    if (bars.sizeIs <= Look.series.size) Chart.groups(title, "benchmark", y)(bars)
    else Chart.groups(title, "version", y)(turned(bars))
  }

  /** Describes in a sentence the best score, and the worst one that differs from it. */
  private[results] def finding(scores: Seq[JmhScore], names: Names): String = {
    // A score without bounds is drawn as a point, and is compared as one.
    def drawn(score: JmhScore): JmhScore = if (score.estimate.high.isInfinite) score.copy(error = 0, forks = Vector.empty) else score
    val sorted = scores.sortBy(score => if (score.moreIsBetter) -score.score else score.score)
    val best = sorted.head
    def times(worse: JmhScore): Estimate =
      if (best.moreIsBetter) drawn(best).over(drawn(worse)) else drawn(worse).over(drawn(best))
    def withBounds(score: JmhScore) = s"${names.full(score)} ${JmhScore.shown(score.estimate)} ${micro(score.unit)}"
    val value = s"${Estimate.digits(best.score)} ${micro(best.unit)}"
    sorted.tail.findLast(times(_).isAbove(1)).map(worst => worst -> times(worst)) match {
      case _ if sorted.sizeIs == 1 => s"${names.full(best)}: $value"
      case None                    => s"No difference can be seen: ${withBounds(best)}, ${withBounds(sorted.last)}"
      case Some((worst, by)) =>
        val more = Estimate.digits(by.value) + (if (by.low == by.high) "" else s" (${JmhScore.bounds(by)})") + " ×"
        if (best.moreIsBetter) s"${names.full(best)} does $value, $more as many as ${names.full(worst)}"
        else s"${names.full(best)} takes $value, ${names.full(worst)} $more as long"
    }
  }

  private def turned[A](series: Seq[(String, Seq[(String, A)])]): Seq[(String, Seq[(String, A)])] =
    series.flatMap(_._2.map(_._1)).distinct.map { name =>
      name -> series.flatMap { case (label, values) => values.collect { case (`name`, value) => label -> value } }
    }

  /** Returns the mark after the finding, if all of it is recorded. Otherwise the series say which are recorded. */
  private def recordedMark(scores: Seq[JmhScore]): String =
    if (scores.forall(_.recording.isDefined)) s" (${scores.flatMap(_.recording).distinct.mkString("; ")})" else ""

  private def measure(mode: String): String = mode match {
    case "thrpt"  => "throughput"
    case "sample" => "sampled time"
    case "ss"     => "time of a single shot"
    case _        => "average time"
  }

  /** Spells microseconds as µs; JMH writes "us". */
  private[results] def micro(unit: String): String = unit.replace("us", "µs")

  /** Returns the largest unit in which `smallest` still has a digit before the point, and the factor for a score. */
  private[lab] def readableUnit(unit: String, smallest: Double): (String, Double) = {
    val units = Vector("ns", "us", "ms", "s")
    val (time, named, more) = unit.split('/').toList match {
      case List("ops", time) => (time, (name: String) => s"ops/$name", 1)
      case List(time, "op")  => (time, (name: String) => s"$name/op", -1)
      case _                 => ("", (name: String) => name, 0)
    }
    val at = units.indexOf(time)
    // A longer unit holds more operations; an operation takes fewer of a longer unit.
    val choices = units.indices.map(index => (named(units(index)), math.pow(1000, ((index - at) * more).toDouble))).sortBy(_._2)
    if (at < 0 || smallest <= 0) (unit, 1.0) else choices.find(_._2 * smallest >= 1).getOrElse(choices.last)
  }

  /** Names scores by what distinguishes them, and no more. */
  final class Names(scores: Seq[JmhScore]) {
    private val oneClass = scores.map(_.name.takeWhile(_ != '.')).distinct.sizeIs == 1
    private val oneBenchmark = scores.map(_.name).distinct.sizeIs == 1
    private val severalScalas = scores.map(_.scala).distinct.sizeIs > 1
    private val severalJdks = scores.map(_.jdk).distinct.sizeIs > 1
    private val recordings = scores.flatMap(_.recording).distinct
    private val partlyRecorded = scores.map(_.recording.isDefined).distinct.sizeIs > 1

    def bar(score: JmhScore): String = {
      val name = if (oneClass) score.name.dropWhile(_ != '.').drop(1) else score.name
      val params = score.params.map { case (key, value) => s"$key=$value" }.mkString(", ")
      if (params.isEmpty) name else if (oneBenchmark) params else s"$name ($params)"
    }

    def version(score: JmhScore): String =
      (Option.when(severalScalas)(s"Scala ${score.scala}") ++ Option.when(severalJdks)(s"JDK ${score.jdkNumber}") ++
        Option.when(partlyRecorded)(score.recording.fold("here and now")(_.toString)) ++
        score.recording.filter(_ => !partlyRecorded && recordings.sizeIs > 1).map(r => s"${r.date}"))
        .mkString(", ")

    def full(score: JmhScore): String = bar(score) + (if (version(score).isEmpty) "" else s" on ${version(score)}")
  }

  object Names { def apply(scores: Seq[JmhScore]): Names = new Names(scores) }
}

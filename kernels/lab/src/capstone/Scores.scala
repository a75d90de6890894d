package lab.capstone

import lab.chart.{Chart, LinePoints}
import lab.measure.Estimate
import lab.show.{Say, Table}

import scala.concurrent.duration._

/** Pictures and tables of [[Score]]s. */
object Scores {
  private def percent(share: Estimate): String = s"${Say.number(share.value)} %"

  /** The kinds in each phase: in time, p50 and p99, refused, unanswered. */
  def table(score: Score): Table = Table(
    s"${score.layout.name}: each kind in each phase (in time is within ${Say.time(Score.patience)})",
    Seq("phase", "kind", "asked", "in time", "p50", "p99", "told no", "wrong", "unanswered"),
    for (phase <- score.scored; kind <- Layout.kinds) yield {
      val (all, took) = (score.of(phase, Seq(kind)), score.latencies(phase, kind))
      def count(outcome: Visit.Outcome): String = s"${all.count(_.outcome == outcome)}"
      Seq(phase, kind, s"${all.size}", percent(score.inTime(phase, kind))) ++
        Seq(50.0, 99.0).map(p => Say.nanos(took.percentileNanos(p))) ++ Seq(Visit.Refused, Visit.Wrong, Visit.Unanswered).map(count)
    }
  )

  /** The goals of each, side by side. */
  def goals(caption: String)(scores: Seq[Score]): Table = Table(
    caption,
    "goal" +: scores.map(_.layout.name),
    Score.asked.zipWithIndex.map { case (name, index) =>
      name +: scores.map { score =>
        val goal = score.goals(index)
        s"${if (goal.met) "✓" else "✗"} ${goal.found} (${Say.number(goal.points)} of ${Say.number(goal.most)})"
      }
    }
  )

  /** What became of each kind in each phase. */
  def chart(score: Score): Chart = {
    val bars = for (phase <- score.scored; kind <- Layout.kinds) yield {
      val all = score.of(phase, Seq(kind))
      val (known, silent) = all.partition(_.tookNanos.nonEmpty)
      val (soon, late) = (known.count(Score.isInTime), known.count(visit => visit.outcome == Visit.Right && !Score.isInTime(visit)))
      val parts = Seq(
        "in time" -> soon,
        "right, but late" -> late,
        "told no" -> known.count(_.outcome == Visit.Refused),
        "wrong" -> known.count(_.outcome == Visit.Wrong),
        "unanswered" -> silent.size
      )
      s"$phase: $kind" -> parts.map { case (name, n) => name -> 100.0 * n / all.size }
    }
    Chart.stacked(s"`${score.layout.name}`: in time are ${words(score)}", "phase: kind of request", "% of those who came")(bars)
  }

  private def words(score: Score): String = Say.list(score.scored.map(phase => s"${percent(score.inTime(phase))} ($phase)"))

  /** The share that is answered in time, over the time of the whole score. */
  def overTime(score: Score): Chart = {
    val every = 200.millis
    val starts = score.plan.phases.scanLeft(Duration.Zero: FiniteDuration)((at, phase) => at + phase.time + phase.calm)
    val marks = score.plan.phases.zip(starts).flatMap { case (phase, start) =>
      Seq(phase.name -> start.toUnit(SECONDS)) ++ Option.when(phase.calm > Duration.Zero)("calm" -> (start + phase.time).toUnit(SECONDS))
    }
    val lines = Layout.kinds.map { kind =>
      val points = score.plan.phases.zip(starts).flatMap { case (phase, start) =>
        score.visits
          .filter(visit => visit.phase == phase.name && visit.kind == kind)
          .groupBy(_.sentNanos / every.toNanos)
          .toSeq
          .sortBy(_._1)
          .map { case (slice, all) =>
            start.toUnit(SECONDS) + (slice + 0.5) * every.toUnit(SECONDS) -> 100.0 * all.count(Score.isInTime) / all.size
          }
      }
      kind -> LinePoints(points)
    }
    val late = score.plan.phases.filter(_.calm > Duration.Zero).map(_.name).filter(score.recovery(_).isEmpty)
    val title =
      if (late.isEmpty) s"`${score.layout.name}` is as usual again soon after each phase"
      else s"`${score.layout.name}` isn't as usual again within the calm after ${Say.list(late)}"
    Chart.lines(title, "asked after (s)", "% answered in time", at = marks)(lines)
  }

  /** Several side by side: in each phase the share of the kind that fares worst (see [[Score.served]]); or, if kinds are named, how many of
    * these are answered in time.
    */
  def compare(title: String, kinds: String*)(scores: Seq[Score]): Chart = {
    val what = if (kinds.isEmpty) "% as it should be, of the kind that fares worst" else s"% of ${Say.list(kinds)}, in time"
    Chart.groups(title, "phase", what)(
      scores.map { score =>
        score.layout.name -> score.scored.map { phase =>
          val share = if (kinds.isEmpty) score.worst(phase)._2 else score.inTime(phase, kinds: _*)
          phase -> share.bar
        }
      }
    )
  }

  /** What they came to, side by side. */
  def figures(caption: String)(scores: Seq[Score]): Table = Table(
    caption,
    Seq("layout", "points") ++ Score.phases.map(phase => s"$phase: in time") ++
      Seq("health, p99 at worst", "answers/s in the crowd", "slowest recovery", "threads", "memory, MiB"),
    scores.map { score =>
      val health = Score.phases.map(phase => score.latencies(phase, "health").percentileNanos(99)).max
      val recoveries = Score.phases.tail.map(score.recovery)
      val slowest = if (recoveries.exists(_.isEmpty)) "not seen" else s"${recoveries.flatten.map(_.toMillis).max} ms"
      Seq(score.layout.name, Say.number(score.points)) ++ Score.phases.map(phase => percent(score.inTime(phase))) ++
        Seq(
          if (health >= Visitors.giveUp.toNanos) "unanswered" else Say.nanos(health),
          Say.number(score.perSecond(Score.crowd)),
          slowest,
          s"${score.threads}",
          if (score.mebibytes == 0) "–" else s"${score.mebibytes}"
        )
    }
  )
}

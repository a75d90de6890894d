package lab.capstone

import lab.chart.{Chart, LinePoints}
import lab.show.{Say, Table}

import scala.concurrent.duration._

/** Charts and tables of [[Score]]s. */
object Scores {
  private def percent(share: Double): String = s"${Say.number(share)} %"

  /** Shows each kind in each phase: in time, p50 and p99, rejected, wrong, unanswered. */
  def table(score: Score): Table = Table(
    s"${score.layout.name}: each kind in each phase (in time means within ${Say.time(Score.patience)})",
    Seq("phase", "kind", "asked", "in time", "p50", "p99", "rejected", "wrong", "unanswered"),
    for (phase <- score.scored; kind <- Layout.kinds) yield {
      val (all, took) = (score.of(phase, Seq(kind)), score.latencies(phase, kind))
      def count(outcome: Request.Outcome): String = s"${all.count(_.outcome == outcome)}"
      Seq(phase, kind, s"${all.size}", percent(score.inTime(phase, kind))) ++
        Seq(50.0, 99.0).map(p => Say.nanos(took.percentileNanos(p))) ++ Seq(Request.Rejected, Request.Wrong, Request.Unanswered).map(count)
    }
  )

  /** Shows how each score did on the goals. */
  def goals(caption: String)(scores: Seq[Score]): Table = Table(
    caption,
    "goal" +: scores.map(_.layout.name),
    Goal.all.zipWithIndex.map { case (goal, index) =>
      goal.name +: scores.map { score =>
        val found = score.goals(index)
        s"${if (found.met) "✓" else "✗"} ${found.words} (${Say.number(found.points)} of ${Say.number(goal.most)})"
      }
    }
  )

  /** Shows how far apart the scores of each layout are, which goals it missed, and in how many scores. */
  def spread(caption: String)(layouts: Seq[Tried]): Table = Table(
    caption,
    Seq("layout", "scores", "goals met", "points", "missed (in how many)"),
    layouts.map(_.scores).map { scores =>
      val met = scores.map(_.goals.count(_.met))
      val missed = Goal.all.map(goal => goal -> scores.count(_.missed.contains(goal))).filter(_._2 > 0)
      Seq(
        scores.head.layout.name,
        s"${scores.size}",
        Seq(met.min, met.max).distinct.mkString(" to ") + s" of ${Goal.all.size}",
        Seq(scores.map(_.points).min, scores.map(_.points).max).map(Say.number).distinct.mkString(" to "),
        if (missed.isEmpty) "none" else missed.map { case (goal, times) => s"$goal ($times)" }.mkString(", ")
      )
    }
  )

  /** Returns how many points apart the scores of the same layout are, at most. */
  def band(layouts: Seq[Tried]): Double = layouts.map(_.scores.map(_.points)).map(all => all.max - all.min).max

  /** Draws what became of each kind in each phase. */
  def chart(score: Score): Chart = {
    val bars = for (phase <- score.scored; kind <- Layout.kinds) yield {
      val all = score.of(phase, Seq(kind))
      val (known, silent) = all.partition(_.tookNanos.nonEmpty)
      val (soon, late) = (known.count(Score.isInTime), known.count(request => request.outcome == Request.Right && !Score.isInTime(request)))
      val parts = Seq(
        "in time" -> soon,
        "right, but late" -> late,
        "rejected" -> known.count(_.outcome == Request.Rejected),
        "wrong" -> known.count(_.outcome == Request.Wrong),
        "unanswered" -> silent.size
      )
      s"$phase: $kind" -> parts.map { case (name, n) => name -> 100.0 * n / all.size }
    }
    Chart.stacked(s"`${score.layout.name}`: answered in time are ${words(score)}", "phase: kind of request", "% of requests")(bars)
  }

  private def words(score: Score): String = Say.list(score.scored.map(phase => s"${percent(score.inTime(phase))} ($phase)"))

  /** Draws the share that was answered in time, over the time of the whole score. */
  def overTime(score: Score): Chart = {
    val every = 200.millis
    val starts = score.plan.phases.scanLeft(Duration.Zero: FiniteDuration)(_ + _.time)
    val lines = Layout.kinds.map { kind =>
      val points = score.plan.phases.zip(starts).flatMap { case (phase, start) =>
        score
          .of(phase.name, Seq(kind))
          .groupBy(_.sentNanos / every.toNanos)
          .toSeq
          .sortBy(_._1)
          .map { case (slice, all) =>
            start.toUnit(SECONDS) + (slice + 0.5) * every.toUnit(SECONDS) -> 100.0 * all.count(Score.isInTime) / all.size
          }
      }
      kind -> LinePoints(points)
    }
    val worst = score.scored.map(phase => score.worst(phase) match { case (kind, share) => s"$kind ${percent(share)} ($phase)" })
    Chart.lines(
      s"`${score.layout.name}`: the worst kinds are ${Say.list(worst)}",
      "sent after (s)",
      "% answered in time",
      at = score.scored.zip(starts.map(_.toUnit(SECONDS)))
    )(lines)
  }

  /** Compares several scores. For each phase it shows the share of the kind that fares worst (see [[Score.served]]), or, if kinds are
    * named, the share of these that was answered in time.
    */
  def compare(title: String, kinds: String*)(scores: Seq[Score]): Chart = {
    val what = if (kinds.isEmpty) "% as the goals ask, of the kind that fares worst" else s"% of ${Say.list(kinds)} answered in time"
    Chart.groups(title, "phase", what)(
      scores.map { score =>
        score.layout.name -> score.scored.map { phase =>
          val share = if (kinds.isEmpty) score.worst(phase)._2 else score.inTime(phase, kinds: _*)
          phase -> Chart.Value(share)
        }
      }
    )
  }

  /** Shows the figures of several scores. */
  def figures(caption: String)(scores: Seq[Score]): Table = Table(
    caption,
    Seq("layout", "points") ++ Score.phases.map(phase => s"$phase: in time") ++
      Seq("worst p99 of health", "answers/s in the crowd", "in flight at most", "threads at most"),
    scores.map { score =>
      val health = Score.phases.map(phase => score.latencies(phase, "health").percentileNanos(99)).max
      Seq(score.layout.name, Say.number(score.points)) ++ Score.phases.map(phase => percent(score.inTime(phase))) ++
        Seq(
          if (health >= Clients.giveUp.toNanos) "unanswered" else Say.nanos(health),
          Say.number(score.perSecond(Score.crowd)),
          s"${score.fullest}",
          s"${score.threads}"
        )
    }
  )
}

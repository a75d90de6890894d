package lab.capstone

import java.io.IOException
import java.time.Instant

import lab.chart.{Chart, LinePoints}
import lab.results.{Result, Results}
import lab.show.{Panel, Say}

import scala.util.Try

/** A layout that this reader had scored. */
final case class Attempt(layout: Layout, points: Double, at: Instant)

/** The reader's attempts at the capstone, kept with the other [[lab.results.Results]]: closing the page loses none. */
object Attempts {
  private val prefix = "11 layout "

  /** Keeps the score; where that can't be, says so. */
  def keep(score: Score): Unit =
    try Results.keepOrFail(prefix + score.layout.text, score.points, "points of 100")
    catch {
      case refused @ (_: IOException | _: IllegalStateException) =>
        Panel(Panel.Open, "Not kept", s"Your attempt couldn't be kept: $refused").show()
    }

  /** All that were kept, the oldest first; what another version of the course kept is passed over. */
  def all: Vector[Attempt] = of(Results.all)

  private[lab] def of(results: Vector[Result]): Vector[Attempt] = for {
    result <- results if result.name.startsWith(prefix)
    layout <- Try(Layout.read(result.name.stripPrefix(prefix))).toOption
  } yield Attempt(layout, result.value, result.at)

  /** The one with most points, the first of them. */
  def best: Option[Attempt] = all.maxByOption(_.points)

  /** The trail: the points of each attempt, and of the references beside them. */
  def trail(references: Seq[Score]): Chart = trail(all, references)

  private[capstone] def trail(attempts: Vector[Attempt], references: Seq[Score]): Chart = {
    val last = attempts.size.max(2).toDouble
    val own = attempts.zipWithIndex.map { case (attempt, index) => (index + 1.0) -> attempt.points }
    val title = attempts.maxByOption(_.points) match {
      case None => s"No attempt yet; the references have ${Say.list(references.map(one => Say.number(one.points)))} points"
      case Some(best) =>
        val beaten = references.count(_.points < best.points)
        s"${Say.count(attempts.size, "attempt")}; the best, `${best.layout.name}`, has ${Say.number(best.points)} points, more than " +
          s"$beaten of ${Say.count(references.size, "reference")}"
    }
    Chart.lines(title, x = "attempt", y = "points of 100")(
      Option.when(own.nonEmpty)("yours" -> LinePoints(own)).toSeq ++
        references.map(one => one.layout.name -> LinePoints(Seq(1.0 -> one.points, last -> one.points)).lineOnly)
    )
  }
}

package lab.capstone

import java.io.IOException
import java.time.Instant

import lab.chart.Chart
import lab.results.{Result, Results}
import lab.show.{Panel, Say, Table}

import scala.util.Try

/** A layout that this reader scored, and the goals that it missed. */
final case class Attempt(layout: Layout, points: Double, missed: Seq[Goal], at: Instant) {

  /** Returns how many goals it met. */
  def met: Int = Goal.all.size - missed.size
}

/** The reader's attempts at the capstone. They are kept with the other [[lab.results.Results]], so closing the page loses none. */
object Attempts {

  /** Keeps the score, or says why it can't. */
  def keep(score: Score): Unit =
    try Results.keepOrFail(s"11 layout missed=${score.missed.mkString(" ")};${score.layout.text}", score.points, "points of 100")
    catch {
      case refused @ (_: IOException | _: IllegalStateException) =>
        Panel(Panel.Open, "Not kept", s"Your attempt couldn't be kept: $refused").show()
    }

  /** Returns all kept attempts, the oldest first, except for attempts of another version of the course. */
  def all: Vector[Attempt] = of(Results.all)

  private[lab] def of(results: Vector[Result]): Vector[Attempt] = for {
    (result, (missed, text)) <- results.flatMap(result => parts(result.name).map(result -> _))
    layout <- Try(Layout.read(text)).toOption
  } yield Attempt(layout, result.value, Goal.all.filter(goal => missed.split(' ').contains(goal.id)), result.at)

  private def parts(name: String): Option[(String, String)] = name match {
    case s"11 layout missed=$missed;$text" => Some(missed -> text)
    case _                                 => None
  }

  /** Returns the attempt that met most goals; if there are several, the first of those with most points. */
  def best: Option[Attempt] = best(all)
  private def best(attempts: Vector[Attempt]): Option[Attempt] = attempts.maxByOption(attempt => (attempt.met, attempt.points))

  /** Draws how many goals each attempt and each reference met. The table has the points and the missed goals. */
  def trail(references: Seq[Score]): Chart = {
    val results = Results.all
    val (attempts, kept) = (of(results), results.count(_.name.startsWith("11 layout ")))
    trail(attempts, references, former = kept - attempts.size)
  }

  private[capstone] def trail(attempts: Vector[Attempt], references: Seq[Score], former: Int = 0): Chart = {
    val own = attempts.zipWithIndex.takeRight(shown).map { case (attempt, index) => (s"${index + 1}. ${attempt.layout.name}", attempt) }
    val beside = references.map(score => score.layout.name -> Attempt(score.layout, score.points, score.missed, Instant.EPOCH))
    val title = best(attempts) match {
      case None => s"No attempt yet; the references meet ${Say.list(beside.map(_._2.met.toString))} of ${Goal.all.size} goals"
      case Some(best) =>
        s"The best of ${Say.count(attempts.size, "attempt")}, `${best.layout.name}`, meets ${best.met} of ${Goal.all.size} goals"
    }
    val rows = (own ++ beside).map { case (name, attempt) =>
      Seq(name, s"${attempt.met}", Say.number(attempt.points), if (attempt.missed.isEmpty) "none" else attempt.missed.mkString(", "))
    }
    val caption =
      if (former == 0) "Your attempts"
      else s"Your attempts; ${Say.count(former, "attempt")} at the goals of an earlier version can't be compared"
    Chart
      .groups(title, "attempt", "goals met")(
        Seq("yours" -> own, "references" -> beside).filter(_._2.nonEmpty).map { case (whose, all) =>
          whose -> all.map { case (name, attempt) => name -> Chart.Value(attempt.met.toDouble) }
        }
      )
      .copy(table = Table(caption, Seq("layout", "goals met", "points", "missed"), rows))
  }
  private val shown = 12
}

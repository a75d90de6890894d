package lab.exercises

import lab.capstone.{Attempts, Goal, Score}
import lab.show.Panel

import scala.util.Try

/** A layout's score, and which of the two goals that nobody can meet together it gives up. */
final case class Laid(score: Option[Score], givesUp: Goal)

/** Design: the capstone. What is handed in is the score of a layout; each of its goals is a case, but for the one that it gives up. */
object LayOutPools extends Cases[Laid]("11-lay-out") {

  @volatile private var newest = Option.empty[Score]

  /** What was handed in last. */
  def lastScore: Option[Score] = newest

  /** For a cell to call: see [[check]].
    *
    * @param givesUp `Goal.CrowdOrders` or `Goal.ShortOrders`
    */
  def check(score: => Option[Score], givesUp: => Goal): Unit = check {
    val left = givesUp // before the score, which takes long
    Laid(score, left)
  }

  /** Scoring takes longer than a case may, and once is enough: so it is done before. What it throws, each case throws. A score taken while
    * the machine was too busy says nothing of the layout: it is neither judged nor kept.
    */
  override def check(answer: => Laid): Unit = {
    val laid = Try(answer)
    laid.toOption.flatMap(_.score) match {
      case Some(score) if !score.proof.passed =>
        Panel(Panel.Open, s"Exercise $id: not scored", s"${score.proof}. Close what else runs, and run the cell again.").show()
      case found =>
        newest = found.orElse(newest)
        found.foreach(Attempts.keep)
        super.check(laid.get)
    }
  }

  private val either = Seq(Goal.CrowdOrders, Goal.ShortOrders)

  Goal.all.zip(hints).foreach { case (goal, hints) =>
    trial(goal.name)(hints: _*) {
      case Laid(None, _) => Seen("a score", "there is no database here, so nothing can be scored", fine = false)
      case Laid(_, left) if !either.contains(left) =>
        Seen("Goal.CrowdOrders or Goal.ShortOrders given up", s"givesUp = $left", fine = false)
      case Laid(Some(score), left) =>
        val found = score.goals(Goal.all.indexOf(goal))
        if (goal == left) Seen(s"${goal.name}: given up", found.words, fine = true)
        else Seen(goal.name, found.words, found.met).of(score.layout.words)
    }
  }

  private def hints: Seq[Seq[String]] = Seq(steady, crowd, crowdOrders, slow, short, shortOrders, threads, house)

  private def steady = Seq(
    "The load is the usual one: something is too small, or refuses whom it could serve. Which kind is it?",
    "Little's law: 60 orders a second, each of which holds a thread for 40 ms, are two or three under way at once."
  )
  private def crowd = Seq(
    "Forty orders come at the same moment. Who else needs one of the threads that they hold?",
    "Queries need threads that nobody else needs. If it was near, score the same layout again before you change it."
  )
  private def crowdOrders = Seq(
    "Forty orders come at the same moment. How many of them are let in? And how long does the last of those wait?",
    "With 8 connections and 40 ms for each order the last one of 40 is answered after 200 ms. So let 40 in, and give up `Goal.ShortOrders`; or refuse them, and give up `Goal.CrowdOrders`."
  )
  private def slow = Seq(
    "Nobody can have a price now. Who waits for it: the visitor alone, or a thread as well? And who tells the visitor, when?",
    "A time-out is as punctual as the thread that keeps it. What else runs there, and for how long?"
  )
  private def short = Seq(
    "One connection is left, and orders come faster than it can serve them. Does anybody else wait for that?",
    "Queries need threads that nobody else needs."
  )
  private def shortOrders = Seq(
    "One connection is left. How long does an order wait before it is answered, or hears no?",
    "An order that finds n others before it waits for (n + 1) × 40 ms. That has to stay below the patience of 500 ms, with something to spare: from this comes the most that may be under way, `atMost = Map(\"order\" -> …)`. Or give up `Goal.ShortOrders`."
  )
  private def threads = Seq("No more queries run than there are connections, and no more pages are rendered than there are CPUs.")
  private def house = Seq(
    "Who waits is under way, and needs memory. Where do requests pile up, and what ends it?",
    "Whoever is under way counts: up to 18 prices while they are slow, and the orders. Give the queue of orders an end: `atMost = Map(\"order\" -> …)`."
  )
}

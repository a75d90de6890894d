package lab.exercises

import lab.capstone.{Attempts, Goal, Score}
import lab.show.Panel

import scala.util.Try

/** A layout's score, and which of the two conflicting goals it gives up. */
final case class Laid(score: Option[Score], givesUp: Goal)

/** Design: the capstone. The answer is the score of a layout. Each goal is a case, except for the goal that the answer gives up. */
object LayOutPools extends Cases[Laid]("11-lay-out") {

  @volatile private var newest = Option.empty[Score]

  /** Returns the last score. */
  def lastScore: Option[Score] = newest

  /** Checks a score, called from a cell: see [[check]].
    *
    * @param givesUp `Goal.CrowdOrders` or `Goal.ShortOrders`
    */
  def check(score: => Option[Score], givesUp: => Goal): Unit = check {
    val left = givesUp // before the score, which takes long
    Laid(score, left)
  }

  /** Scores once, before the cases run, because scoring takes longer than a case may. If it throws, each case throws the same. A score
    * taken while the machine was too busy says nothing about the layout, so it is neither judged nor kept.
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
      case Laid(None, _) => Seen("a score", "there is no database here, so the layout can't be scored", fine = false)
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
    "The load is the usual one. So something is too small, or rejects requests that it could serve. Which kind of request suffers?",
    "Little's law: 60 orders come in a second, and each occupies a thread for 40 ms. So two or three are in flight simultaneously. If you missed the goal only just, score the same layout again before you change it."
  )
  private def crowd = Seq(
    "Forty orders come at the same moment. Which other tasks need the threads that these orders occupy?",
    "Give queries threads that no other task needs. If you missed the goal only just, score the same layout again before you change it."
  )
  private def crowdOrders = Seq(
    "Forty orders come at the same moment. How many of them does the layout accept? And how long does the last of those wait?",
    "With 8 connections and 40 ms for each order, the last one of 40 is answered after 200 ms. So accept 40, and give up `Goal.ShortOrders`. Or reject them, and give up `Goal.CrowdOrders`."
  )
  private def slow = Seq(
    "No price can be answered now. Does only the client wait for it, or a thread as well? When is the client rejected, and by which thread?",
    "A time-out is as punctual as the thread that runs it. What else runs on that thread, and for how long?"
  )
  private def short = Seq(
    "One connection is left, and orders come faster than it can serve them. Do other kinds of requests wait for it, too?",
    "Give queries threads that no other task needs."
  )
  private def shortOrders = Seq(
    "One connection is left. How long does an order wait before it is answered or rejected?",
    "An order that finds n others ahead of it is answered after (n + 1) × 40 ms. That has to be less than the patience of 500 ms, with something to spare. This gives you the largest number that may be in flight, `atMost = Map(\"order\" -> …)`. Or give up `Goal.ShortOrders`."
  )
  private def threads = Seq("There are never more queries running than connections, nor more pages being rendered than CPUs.")
  private def house = Seq(
    "A request that waits is in flight, and needs memory. Where do requests pile up, and what bounds their number?",
    "All requests in flight count: up to 18 prices while they are slow, and the orders. Bound the queue of orders: `atMost = Map(\"order\" -> …)`."
  )
}

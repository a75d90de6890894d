package lab.exercises

import lab.capstone.{Attempts, Score}
import lab.show.Panel

import scala.util.Try

/** Design: the capstone. What is handed in is the score of a layout; each of its goals is a case. */
object LayOutPools extends Cases[Option[Score]]("11-lay-out") {

  @volatile private var newest = Option.empty[Score]

  /** What was handed in last. */
  def lastScore: Option[Score] = newest

  /** Scoring takes longer than a case may, and once is enough: so it is done before. What it throws, each case throws. A score taken while
    * the machine was too busy says nothing of the layout: it is neither judged nor kept.
    */
  override def check(answer: => Option[Score]): Unit = {
    val scored = Try(answer)
    scored.toOption.flatten match {
      case Some(score) if !score.proof.passed =>
        Panel(Panel.Open, s"Exercise $id: not scored", s"${score.proof}. Close what else runs, and run the cell again.").show()
      case found =>
        newest = found.orElse(newest)
        found.foreach(Attempts.keep)
        super.check(scored.get)
    }
  }

  Score.asked.zip(hints).zipWithIndex.foreach { case ((name, hints), index) =>
    trial(name)(hints: _*) {
      case None => Seen("a score", "there is no database here, so nothing can be scored", fine = false)
      case Some(score) =>
        val goal = score.goals(index)
        Seen(goal.name, goal.found, goal.met).of(score.layout.words)
    }
  }

  private def hints: Seq[Seq[String]] = Seq(steady, crowd, slow, short) ++ Seq.fill(3)(afterwards) ++ Seq(threads, memory)

  private def steady = Seq(
    "The load is the usual one: something is too small, or refuses whom it could serve. Which kind is it?",
    "Little's law: 60 orders a second, each of which holds a thread for 40 ms, are two or three under way at once."
  )
  private def crowd = Seq(
    "Now 120 orders come in a second, and 60 prices. How many queries are at work at once? They need threads, and connections as well.",
    "120 × 0.04 s are five at once, on average; leave room for a hiccup. The background work holds a thread as well. Whoever is refused isn't answered. If it was near, score the same layout again before you change it."
  )
  private def slow = Seq(
    "Nobody can have a price now. Who waits for it: the visitor alone, or a thread as well? And who tells the visitor, when?",
    "A time-out is as punctual as the thread that keeps it. What else runs there, and for how long?"
  )
  private def short = Seq(
    "One connection is left, and orders come faster than it can serve them. Does anybody else wait for that? And how long does an order wait before it hears no?",
    "Queries need threads that nobody else needs, and a queue with an end, or `atMost = Map(\"order\" -> …)`: as many as one connection serves within the patience, some 20 a second."
  )
  private def afterwards = Seq(
    "What is still in a queue when a phase is over has to be worked off first.",
    "Give the queue that grew an end."
  )
  private def threads = Seq("No more queries run than there are connections, and no more pages are rendered than there are CPUs.")
  private def memory = Seq("Threads need memory, and so does whatever waits in a queue.")
}

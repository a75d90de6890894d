package lab.magic.jmh

import lab.results.JmhResults
import lab.show.Panel

/** The results that the `%%jmh` cells with `--recorded` left in this kernel, each under that name. They are either measured, or only shown
  * and waiting for two requests. A count decides, not a clock, so a page that is run from top to bottom never measures what it only shows.
  * Use it from the cells' own thread.
  */
private[jmh] final class OnDemand {
  import OnDemand._

  private var states = Map.empty[String, State]

  def measured(name: String, results: JmhResults): Unit = states += name -> Measured(results)

  def shown(name: String, recorded: JmhResults, measure: () => JmhResults): Unit = states += name -> Shown(recorded, measure, asked = false)

  /** Forgets a cell's results before the cell runs again, which may fail. */
  def forget(name: String): Unit = states -= name

  /** Returns a cell's results; the second request measures them.
    *
    * @param recorded every name under which something is recorded
    * @throws java.lang.IllegalStateException if the cell hasn't run, but the name is one of those recorded
    * @throws java.lang.IllegalArgumentException for any other name that no cell has had
    */
  def press(name: String, recorded: => Vector[String]): JmhResults = states.get(name) match {
    case Some(Measured(results)) =>
      say("Measured here: these are the results, nothing is left to do.")
      results
    case Some(state @ Shown(results, _, false)) =>
      states += name -> state.copy(asked = true)
      say("Run this cell once more to measure it here, then the cells below it again.", "Until then they take what is recorded.")
      results
    case Some(Shown(_, measure, true)) =>
      // A run that fails or is interrupted doesn't change the state, so the next request measures.
      val results = measure()
      measured(name, results)
      results
    case None if recorded.contains(name) =>
      throw new IllegalStateException(
        s"Jmh.live(\"$name\"): the %%jmh cell with --recorded $name has left no results in this kernel; it comes first. Run that cell, then this one again."
      )
    case None =>
      val known = (recorded ++ states.keys).distinct.sorted
      throw new IllegalArgumentException(
        s"Jmh.live(\"$name\"): no %%jmh cell with --recorded $name has run, and nothing is recorded under this name; expected was a name after --recorded, here " +
          s"${if (known.isEmpty) "nothing yet" else known.mkString(", ")}. Correct the name, or run its %%jmh cell first."
      )
  }

  private def say(title: String, note: String = ""): Unit = Panel(Panel.Button, title, note = note).show()
}

private object OnDemand {
  sealed trait State
  final case class Measured(results: JmhResults) extends State
  final case class Shown(recorded: JmhResults, measure: () => JmhResults, asked: Boolean) extends State
}

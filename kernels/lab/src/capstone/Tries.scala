package lab.capstone

import lab.measure.{Estimate, Proof, Repeated}

/** What several layouts came to, in turn and again and again. */
final class Tries private[capstone] (runs: Repeated[Score]) {

  /** What one of them came to.
    *
    * @throws java.util.NoSuchElementException if it wasn't tried
    */
  def apply(layout: Layout): Tried =
    new Tried(runs(layout.name), quantity => runs.of("ms")(score => if (score.layout == layout) quantity(score) else 1)(layout.name))

  /** Whether it is known, of each layout in each phase that is asked for, if those who can be served are in time. */
  private[capstone] def decided(tries: Seq[(Layout, Plan)]): Boolean = tries.forall { case (layout, plan) =>
    plan.phases.filter(phase => plan.asked(phase.name)).forall { phase =>
      val kinds = Score.servable(phase.name).filterNot(phase.leaves.contains)
      apply(layout).within(phase.name, kinds: _*).decides(Score.patient)
    }
  }

  override def toString: String = s"$runs"
}

/** What one layout came to, again and again.
  *
  * @param scores round after round
  */
final class Tried private[capstone] (val scores: Vector[Score], estimate: (Score => Double) => Estimate) {

  /** Within how many ms nine of ten got the right answer. Who never got it counts with the time after which visitors go. */
  def within(phase: String, kinds: String*): Estimate = nine(phase, kinds)(_ == Visit.Right)

  /** The same, an honest no counting as well. */
  def toldWithin(phase: String, kinds: String*): Estimate =
    nine(phase, kinds)(outcome => outcome == Visit.Right || outcome == Visit.Refused)

  /** How many in a hundred got the right answer in time, of all rounds together. */
  def inTime(phase: String, kinds: String*): Double = Score.share(scores.flatMap(_.of(phase, kinds)))(Score.isInTime)

  /** The phases that were scored. */
  def scored: Vector[String] = scores.head.scored

  /** The score in the middle, by [[Score.ranking]]. */
  def middle: Score = scores.sorted(Score.ranking).apply(scores.size / 2)

  /** Whether most of the scores were taken on a machine with time for them. */
  def proof: Proof = {
    val (fine, not) = scores.map(_.proof).partition(_.passed)
    if (fine.size > not.size) fine.head else not.head
  }

  private def nine(phase: String, kinds: Seq[String])(counts: Visit.Outcome => Boolean): Estimate = estimate { score =>
    val took = score.of(phase, kinds).map(visit => visit.tookNanos.filter(_ => counts(visit.outcome)).getOrElse(Visitors.giveUp.toNanos))
    took.sorted.apply(math.ceil(Goal.enough * took.size).toInt - 1) / 1e6
  }
}

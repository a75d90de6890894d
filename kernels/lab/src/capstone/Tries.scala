package lab.capstone

import lab.measure.{Estimate, Proof, Repeated}

/** The scores of several layouts, taken in turn and repeatedly. */
final class Tries private[capstone] (runs: Repeated[Score]) {

  /** Returns the scores of one layout.
    *
    * @throws java.util.NoSuchElementException if it wasn't scored
    */
  def apply(layout: Layout): Tried =
    new Tried(runs(layout.name), quantity => runs.of("ms")(score => if (score.layout == layout) quantity(score) else 1)(layout.name))

  /** Returns the layouts whose scores don't decide for each phase in question if the requests that can be served are in time. */
  private[capstone] def undecided(tries: Seq[(Layout, Plan)]): Seq[String] = tries.collect {
    case (layout, plan) if plan.phases.exists { phase =>
          val kinds = Score.servable(phase.name).filterNot(phase.leaves.contains)
          plan.asked(phase.name) && !apply(layout).within(phase.name, kinds: _*).decides(Score.patient)
        } =>
      layout.name
  }

  override def toString: String = s"$runs"
}

/** The scores of one layout.
  *
  * @param scores one for each round
  */
final class Tried private[capstone] (val scores: Vector[Score], estimate: (Score => Double) => Estimate) {

  /** Returns within how many ms nine of ten got the right answer. A request that never got it counts with the time after which clients
    * go.
    */
  def within(phase: String, kinds: String*): Estimate = nine(phase, kinds)(_ == Request.Right)

  /** Returns within how many ms nine of ten got the right answer or were rejected by 503 or 504. */
  def informedWithin(phase: String, kinds: String*): Estimate =
    nine(phase, kinds)(outcome => outcome == Request.Right || outcome == Request.Rejected)

  /** Returns the percentage that got the right answer in time, in all rounds together. */
  def inTime(phase: String, kinds: String*): Double = Score.share(scores.flatMap(_.of(phase, kinds)))(Score.isInTime)

  /** The phases that were scored. */
  def scored: Vector[String] = scores.head.scored

  /** Returns the middle score by [[Score.ranking]]. */
  def middle: Score = scores.sorted(Score.ranking).apply(scores.size / 2)

  /** Returns whether the machine had time for most of the scores. */
  def proof: Proof = {
    val (fine, not) = scores.map(_.proof).partition(_.passed)
    if (fine.size > not.size) fine.head else not.head
  }

  private def nine(phase: String, kinds: Seq[String])(counts: Request.Outcome => Boolean): Estimate = estimate { score =>
    val took =
      score.of(phase, kinds).map(request => request.tookNanos.filter(_ => counts(request.outcome)).getOrElse(Clients.giveUp.toNanos))
    took.sorted.apply(math.ceil(Goal.enough * took.size).toInt - 1) / 1e6
  }
}

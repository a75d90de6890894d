package lab.exercises

import lab.page.Exercise

import scala.concurrent.duration._

/** An exercise whose cases stand in its body, one [[trial]] after the other.
  *
  * @param within how long a case may take
  */
abstract class Cases[A] private[exercises] (id: String, within: FiniteDuration = 3.seconds) extends Exercise[A](id) with Tools {
  private var all: Trials = Vector.empty
  final def trials: Trials = all
  override private[lab] def limit: FiniteDuration = within

  /** The next case. Its hints lead from a nudge to nearly the answer. */
  private[exercises] def trial(name: String)(hints: String*)(run: A => Seen): Unit = all :+= Exercise.Trial(name, hints: _*)(run)
}

private[exercises] object Cases {

  /** Where cases are worked out and nothing waits, this is only for an answer that never returns. */
  val workedOut: FiniteDuration = 12.seconds
}

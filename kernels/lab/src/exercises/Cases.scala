package lab.exercises

import lab.page.Exercise

import scala.concurrent.duration._

/** An exercise that declares its cases in its body, one [[trial]] after the other.
  *
  * @param within the time that a case may take
  */
abstract class Cases[A] private[exercises] (id: String, within: FiniteDuration = 3.seconds) extends Exercise[A](id) with Tools {
  private var all: Trials = Vector.empty
  final def trials: Trials = all
  override private[lab] def limit: FiniteDuration = within

  /** Adds a case. Its hints begin with a nudge and end with nearly the whole answer. */
  private[exercises] def trial(name: String)(hints: String*)(run: A => Seen): Unit = all :+= Exercise.Trial(name, hints: _*)(run)
}

private[exercises] object Cases {

  /** A limit for cases that compute their result and wait for nothing. It only ends an answer that never returns. */
  val workedOut: FiniteDuration = 12.seconds
}

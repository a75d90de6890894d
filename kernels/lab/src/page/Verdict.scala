package lab.page

import lab.measure.{Estimate, Threshold}
import lab.show.Panel

/** What became of a claim here and now. `because` is empty where the verdict needs no word more. */
sealed abstract class Verdict(val name: String, val because: String) {
  override def toString: String = if (because.isEmpty) name else s"$name: $because"
}

object Verdict {

  /** What a verdict may be called. */
  private[lab] val names: Vector[String] =
    Vector(Holds, Depends(""), DoesNotHold(""), Undecided(""), NotTried("")).map(_.name)

  /** Whether one of this name says neither yes nor no. */
  private[page] def isOpen(name: String): Boolean = mark(name) == Panel.Open

  private[page] def mark(name: String): Panel.Mark =
    Map("holds" -> Panel.Good, "depends" -> Panel.Mixed, "does not hold" -> Panel.Bad).getOrElse(name, Panel.Open)

  case object Holds extends Verdict("holds", "")

  /** Holds on some machines, JDKs or Scala versions; `on` says which. */
  final case class Depends(on: String) extends Verdict("depends", on)

  /** `instead` says what happens. */
  final case class DoesNotHold(instead: String) extends Verdict("does not hold", instead)

  /** It was measured, and the errors are wider than what is asked: measured again, it might come out the other way. The recorded run, if
    * there is one, stands beside it.
    */
  final case class Undecided(why: String) extends Verdict("not decided here", why)

  /** `why` says what is missing here: a second JDK, say. */
  final case class NotTried(why: String) extends Verdict("not tried", why)

  /** `above` if all of the interval lies above the threshold, `below` if all of it lies below; else nothing is decided.
    *
    * {{{
    * Verdict.by(rounds.ratio("shared", "apart"), Threshold.aboutEqual)(
    *   above = Verdict.Holds, below = Verdict.DoesNotHold("the two are about equal"))
    * }}}
    */
  def by(measured: Estimate, threshold: Threshold)(above: => Verdict, below: => Verdict): Verdict =
    if (measured.isAbove(threshold.value)) above
    else if (measured.isBelow(threshold.value)) below
    else Undecided(s"$measured doesn't decide (threshold $threshold)")

  /** ''Holds'' if all do. Else the first of those that say most: one that doesn't hold, one that isn't decided, one that wasn't tried, one
    * that depends.
    */
  def all(verdicts: Verdict*): Verdict = {
    def rank(verdict: Verdict): Int = verdict match {
      case _: DoesNotHold => 0
      case _: Undecided   => 1
      case _: NotTried    => 2
      case _: Depends     => 3
      case Holds          => 4
    }
    verdicts.minByOption(rank).getOrElse(Holds)
  }
}

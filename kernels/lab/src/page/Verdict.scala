package lab.page

import lab.measure.{Estimate, Threshold}
import lab.show.Panel

/** The result of a claim here and now. `because` is empty if the verdict needs no further word. */
sealed abstract class Verdict(val name: String, val because: String) {
  override def toString: String = if (because.isEmpty) name else s"$name: $because"
}

object Verdict {

  /** The names that a verdict may have. */
  private[lab] val names: Vector[String] =
    Vector(Holds, Depends(""), DoesNotHold(""), Undecided(""), NotTried("")).map(_.name)

  /** Returns whether a verdict with this name says neither yes nor no. */
  private[page] def isOpen(name: String): Boolean = mark(name) == Panel.Open

  private[page] def mark(name: String): Panel.Mark =
    Map("holds" -> Panel.Good, "depends" -> Panel.Mixed, "does not hold" -> Panel.Bad).getOrElse(name, Panel.Open)

  case object Holds extends Verdict("holds", "")

  /** Holds on some machines, JDKs or Scala versions; `on` says which. */
  final case class Depends(on: String) extends Verdict("depends", on)

  /** Doesn't hold; `instead` says what happens. */
  final case class DoesNotHold(instead: String) extends Verdict("does not hold", instead)

  /** Not decided: the errors are wider than what is asked, so another measurement might come out the other way. The recorded run, if
    * there is one, is shown next to it.
    */
  final case class Undecided(why: String) extends Verdict("not decided here", why)

  /** Wasn't tried; `why` says what is missing here, such as a second JDK. */
  final case class NotTried(why: String) extends Verdict("not tried", why)

  /** Returns `above` if the whole interval lies above the threshold, and `below` if it lies below. Otherwise nothing is decided.
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

  /** Returns ''holds'' if all do. Otherwise it returns the first verdict of the most important kind: one that doesn't hold, then one that
    * isn't decided, one that wasn't tried, one that depends.
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

package lab

/** What became of a claim here and now. `because` is empty where the verdict needs no word more. */
sealed abstract class Verdict(val name: String, val because: String) {
  override def toString: String = if (because.isEmpty) name else s"$name: $because"
}

object Verdict {
  case object Holds extends Verdict("holds", "")

  /** Holds on some machines, JDKs or Scala versions; `on` says which. */
  final case class Depends(on: String) extends Verdict("depends", on)

  /** `instead` says what happens. */
  final case class DoesNotHold(instead: String) extends Verdict("does not hold", instead)

  /** `why` says what is missing here: a second JDK, say. */
  final case class NotTried(why: String) extends Verdict("not tried", why)
}

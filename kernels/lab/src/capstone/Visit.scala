package lab.capstone

/** What became of one request of a score.
  *
  * @param sentNanos when it was to be sent, since the phase began
  * @param tookNanos from then to its answer; nothing if none came
  */
private[capstone] final case class Visit(
    phase: String,
    kind: String,
    sentNanos: Long,
    tookNanos: Option[Long],
    outcome: Visit.Outcome
)

private[capstone] object Visit {
  sealed abstract class Outcome(override val toString: String)

  /** With what was really computed, read or fetched. */
  case object Right extends Outcome("right")

  /** An honest no: 503 or 504. */
  case object Refused extends Outcome("refused")

  /** Another status, another text, a connection that broke. */
  case object Wrong extends Outcome("wrong")
  case object Unanswered extends Outcome("unanswered")
}

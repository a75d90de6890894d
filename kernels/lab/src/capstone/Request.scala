package lab.capstone

/** The fate of one request of a score.
  *
  * @param sentNanos when it was due, since the phase began
  * @param tookNanos the time from then to its answer; `None` if none came
  */
private[capstone] final case class Request(
    phase: String,
    kind: String,
    sentNanos: Long,
    tookNanos: Option[Long],
    outcome: Request.Outcome
)

private[capstone] object Request {
  sealed abstract class Outcome(override val toString: String)

  /** The answer has the value that was really computed, read or fetched. */
  case object Right extends Outcome("right")

  /** The answer is 503 or 504, so the client knows that it was rejected. */
  case object Rejected extends Outcome("rejected")

  /** Another status, another text, or a broken connection. */
  case object Wrong extends Outcome("wrong")
  case object Unanswered extends Outcome("unanswered")
}

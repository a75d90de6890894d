package lab.exercises

/** Whom a service lets in, as a reader lays it down in an exercise.
  *
  * @param queue          so many requests wait for a thread at most; who comes then is refused at once
  * @param deadlineMillis who has waited longer when its turn comes is refused then
  */
final case class Admission(queue: Int, deadlineMillis: Double)

package lab.exercises

/** The admission policy that a reader chooses for a service in an exercise.
  *
  * @param queue          how many requests may wait for a thread. A request that finds the queue full is rejected immediately
  * @param deadlineMillis how long a request may wait. If it has waited longer when its turn comes, it is rejected then
  */
final case class Admission(queue: Int, deadlineMillis: Double)

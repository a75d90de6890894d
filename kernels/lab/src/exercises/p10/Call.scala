package lab.exercises

/** A call that needs threads.
  *
  * @param does   what it does most of the time. It `"computes"`, or it waits: on a `"socket"`, inside `"synchronized"`, for a `"file"` that
  *               is a pipe, or in `"native"` code
  * @param jdk    the JDK on which it runs
  * @param cpus   the number of CPUs of the machine
  * @param concurrent how many such calls come at the same time
  * @param most   how many the other side takes at the same time; 0 if it takes any number
  */
final case class Call(does: String, jdk: Int, cpus: Int, concurrent: Int, most: Int)

/** The threads for a [[Call]].
  *
  * @param threads `"virtual"` or `"platform"`
  * @param most    how many of these calls may run simultaneously: the size of a pool of platform threads, or the permits of a semaphore in
  *                front of virtual ones
  */
final case class Threads(threads: String, most: Int)

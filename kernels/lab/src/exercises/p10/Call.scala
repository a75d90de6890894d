package lab.exercises

/** A call that is to be given threads.
  *
  * @param does   what it does most of the time: `"computes"`, or it waits: on a `"socket"`, inside of `"synchronized"`, for a `"file"` that
  *               is a pipe, or in `"native"` code
  * @param jdk    that it runs on
  * @param cpus   of the machine
  * @param atOnce how many such calls come at the same time
  * @param most   how many the other side takes at the same time; 0 if it takes any number
  */
final case class Call(does: String, jdk: Int, cpus: Int, atOnce: Int, most: Int)

/** What a [[Call]] is given.
  *
  * @param threads `"virtual"` or `"platform"`
  * @param most    how many of these calls may run at once: the size of a pool of platform threads, the permits of a semaphore in front of
  *                virtual ones
  */
final case class Threads(threads: String, most: Int)

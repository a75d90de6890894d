package lab.machine

/** What page 13 asks of every runtime. A `%%program` cell answers for one of them. Then `lab.forked.RuntimeTrial` tries it in a JVM of its
  * own.
  */
trait TaskRuntime {

  /** Runs a task as this runtime's users do who say nothing about it: it computes, or blocks without saying so. Returns at once. */
  def start(task: () => Unit): Unit

  /** Runs a task that blocks, as the runtime's documentation recommends. Returns at once. */
  def block(task: () => Unit): Unit

  /** Runs a task after a while, without a platform thread that waits for only that. Returns at once. */
  def later(millis: Int)(task: () => Unit): Unit

  /** Repeats a step until it returns `false`, each time as a step of this runtime. Returns at once.
    *
    * @param yields whether the task also yields after each step, if this runtime knows that
    */
  def repeat(yields: Boolean)(step: () => Boolean): Unit

  /** Calls `here` four times in a row as one task: in a usual step, in one that blocks and says so, in the next usual step, and after the
    * task has yielded. Returns the four results.
    */
  def around(here: () => String): Seq[String]
}

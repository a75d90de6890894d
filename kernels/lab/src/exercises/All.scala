package lab.exercises

import lab.Exercise

/** Every exercise of the course. */
object All {
  def apply(): Seq[Exercise[_]] = Seq(ThreadName, CountTasks, AtMost, PoolLayout, TellThePool, BoundedBlocking, BlockingLayout)
}

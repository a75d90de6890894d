package lab.machine

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** Tasks that sleep on a pool, each on its thread, until they are woken. They sleep on a latch, which notifies neither Scala nor the pool.
  * Only what `nap` puts around the sleep can notify them.
  *
  * {{{
  * Sleepers.concurrent(100, ExecutionContext.global)(blocking(_))   // how many of 100 sleep simultaneously inside `blocking`
  * val four = Sleepers(4, pool)(blocking(_))                    // four that sleep while something else is tried
  * four.wake()
  * }}}
  *
  * No task sleeps for more than five minutes, woken or not.
  */
final class Sleepers private (tasks: Int, pool: ExecutionContext, nap: (=> Unit) => Unit) {
  private val alarm = new CountDownLatch(1)
  private val beds = new ConcurrentLinkedQueue[Thread]
  private val all = Vector.fill(tasks)(Future(nap(sleep()))(pool))

  /** Returns how many are asleep now. */
  def count: Int = beds.size

  /** Returns how many are asleep when the number has stopped changing. There are fewer than all if the pool has no thread left. */
  def settled: Int = Settle(tasks)(count)

  /** Returns the threads that they sleep on, in the order in which they fell asleep. */
  def threads: Vector[Thread] = beds.asScala.toVector

  /** Wakes all tasks, and waits until they have ended. Tasks that haven't begun yet won't sleep.
    *
    * @throws java.util.concurrent.TimeoutException if the pool hasn't run all of them after 20 seconds
    */
  def wake(): Unit = {
    alarm.countDown()
    all.foreach(Await.ready(_, 20.seconds))
  }

  private def sleep(): Unit = {
    beds.add(Thread.currentThread)
    alarm.await(5, MINUTES)
    ()
  }
}

object Sleepers {

  /** Submits sleeping tasks, and returns when their number has stopped changing.
    *
    * @param pool the pool on which they sleep
    * @param nap  what each task puts around its sleep: `nap => nap` puts nothing there, and `blocking(_)` notifies the pool
    * @throws java.lang.IllegalArgumentException if there are less than 0 tasks
    */
  def apply(tasks: Int, pool: ExecutionContext)(nap: (=> Unit) => Unit): Sleepers = {
    if (tasks < 0) throw new IllegalArgumentException(s"tasks = $tasks: the number of sleepers is 0 or more")
    val sleepers = new Sleepers(tasks, pool, nap)
    sleepers.settled
    sleepers
  }

  /** Returns how many tasks sleep simultaneously, and wakes them. Its parameters and errors are those of [[apply]]. */
  def concurrent(tasks: Int, pool: ExecutionContext)(nap: (=> Unit) => Unit): Int = {
    val sleepers = apply(tasks, pool)(nap)
    try sleepers.count
    finally sleepers.wake()
  }
}

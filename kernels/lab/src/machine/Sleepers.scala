package lab.machine

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** Tasks that fall asleep on a pool, each on its thread, until they are woken. They sleep on a latch, of which neither Scala nor the pool
  * learns anything: what `nap` puts around the sleep is all that may tell them.
  *
  * {{{
  * Sleepers.atOnce(100, ExecutionContext.global)(blocking(_))   // how many of 100 sleep at once inside `blocking`
  * val four = Sleepers(4, pool)(blocking(_))                    // four that sleep while something else is tried
  * four.wake()
  * }}}
  *
  * Nobody sleeps for more than five minutes, woken or not.
  */
final class Sleepers private (tasks: Int, pool: ExecutionContext, nap: (=> Unit) => Unit) {
  private val alarm = new CountDownLatch(1)
  private val beds = new ConcurrentLinkedQueue[Thread]
  private val all = Vector.fill(tasks)(Future(nap(sleep()))(pool))

  /** How many sleep by now. */
  def count: Int = beds.size

  /** How many sleep when nothing moves any more: all, or fewer where the pool has no thread left. */
  def settled: Int = Settle(tasks)(count)

  /** The threads that they sleep on, in the order in which they fell asleep. */
  def threads: Vector[Thread] = beds.asScala.toVector

  /** Wakes all, and waits until all have got up; those that haven't begun yet won't sleep any more.
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

  /** Hands over so many tasks, and comes back when nothing moves any more.
    *
    * @param pool where they sleep
    * @param nap  what each task does with its sleep: `nap => nap` just sleeps, `blocking(_)` says so
    * @throws java.lang.IllegalArgumentException if there are less than 0 tasks
    */
  def apply(tasks: Int, pool: ExecutionContext)(nap: (=> Unit) => Unit): Sleepers = {
    if (tasks < 0) throw new IllegalArgumentException(s"there can't be $tasks sleepers; 0 is the least")
    val sleepers = new Sleepers(tasks, pool, nap)
    sleepers.settled
    sleepers
  }

  /** How many of so many sleep at once; then they are woken. Parameters and errors as above. */
  def atOnce(tasks: Int, pool: ExecutionContext)(nap: (=> Unit) => Unit): Int = {
    val sleepers = apply(tasks, pool)(nap)
    try sleepers.count
    finally sleepers.wake()
  }
}

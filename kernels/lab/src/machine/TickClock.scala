package lab.machine

import scala.concurrent.duration._

/** A clock for experiments that ask how long something takes in all, on which a busy machine has no influence. It stops while any task
  * moves, and ticks when none does. So the result is a whole number, and the same on every machine.
  *
  * {{{
  * val clock = new TickClock
  * val both = Seq(2, 1).map(ticks => Future(clock.sleep(ticks))(pool))
  * clock.until(both.forall(_.isCompleted))   // 2 ticks on two threads, 3 on one
  * }}}
  *
  * Any number of threads may sleep by it, while one thread runs it.
  *
  * @param quiet if no thread has fallen asleep for this long, nothing moves any more
  */
final class TickClock(quiet: FiniteDuration = 200.millis) {
  private var (now, naps) = (0, 0)

  /** Sleeps on the calling thread for this number of ticks. It notifies neither Scala nor the thread's pool.
    *
    * @throws java.lang.InterruptedException if the thread is interrupted
    */
  def sleep(ticks: Int): Unit = synchronized {
    val end = now + ticks
    naps += 1
    while (now < end) wait()
  }

  /** Ticks until `done`, and returns the number of ticks.
    *
    * @throws java.lang.IllegalStateException if that takes more than `limit` ticks
    */
  def until(done: => Boolean, limit: Int = 100): Int = {
    var ticks = 0
    def isDone = { Settle(Int.MaxValue, quiet)(asleepSoFar); done }
    while (!isDone) {
      if (ticks == limit) throw new IllegalStateException(s"not done after $limit ticks")
      tick()
      ticks += 1
    }
    ticks
  }

  private def asleepSoFar: Int = synchronized(naps)
  private def tick(): Unit = synchronized { now += 1; notifyAll() }
}

package lab.machine

import scala.concurrent.duration._

/** A clock for experiments that ask how long something takes in all, where a busy machine's own clock would lie: it stands still for as
  * long as anything moves, and ticks when nothing does. What comes out is a whole number, and the same on every machine.
  *
  * {{{
  * val clock = new TickClock
  * val both = Seq(2, 1).map(ticks => Future(clock.sleep(ticks))(pool))
  * clock.until(both.forall(_.isCompleted))   // 2 ticks on two threads, 3 on one
  * }}}
  *
  * Any number of threads may sleep by it; one lets it run.
  *
  * @param quiet when nobody has fallen asleep for so long, nothing moves any more
  */
final class TickClock(quiet: FiniteDuration = 200.millis) {
  private var (now, naps) = (0, 0)

  /** Sleeps on the calling thread until it has ticked so often from now on. Neither Scala nor the thread's pool learns of it.
    *
    * @throws java.lang.InterruptedException if the thread is interrupted
    */
  def sleep(ticks: Int): Unit = synchronized {
    val end = now + ticks
    naps += 1
    while (now < end) wait()
  }

  /** Ticks until `done`, and returns how often it did.
    *
    * @throws java.lang.IllegalStateException if that takes more than `limit` ticks
    */
  def until(done: => Boolean, limit: Int = 100): Int = {
    var ticks = 0
    def isDone = { Settle(Int.MaxValue, quiet)(asleepSoFar); done }
    while (!isDone) {
      if (ticks == limit) throw new IllegalStateException(s"after $limit ticks it was not done")
      tick()
      ticks += 1
    }
    ticks
  }

  private def asleepSoFar: Int = synchronized(naps)
  private def tick(): Unit = synchronized { now += 1; notifyAll() }
}

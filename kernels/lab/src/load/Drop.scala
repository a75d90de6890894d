package lab.load

import java.util.concurrent.atomic.AtomicLong

import scala.concurrent.duration._

/** A rule that says, when a task's turn has come, whether it is dropped and not run any more. Threads ask at the same time. */
trait Drop {

  /** @param waitedNanos how long the task has waited for its turn
    * @param nowNanos    when its turn has come, by `System.nanoTime`
    */
  def apply(waitedNanos: Long, nowNanos: Long): Boolean
}

object Drop {

  /** Whoever had to wait was worth it. */
  val nobody: Drop = (_, _) => false

  /** A deadline: who has waited for longer is dropped. */
  def after(deadline: FiniteDuration): Drop = (waited, _) => waited > deadline.toNanos

  /** A queue may be long for a moment; one that doesn't get shorter is a standing queue, in which everybody waits and nobody gains. If for
    * an `interval` nobody's wait was below `target`, then whoever has waited longer than that is dropped.
    *
    * That is how CoDel tells a standing queue (K. Nichols and V. Jacobson, ''Controlling Queue Delay'', ACM Queue 2012), with a simpler rule
    * of what to drop then, one that services use (B. Maurer, ''Fail at Scale'', ACM Queue 2015).
    */
  def standing(target: FiniteDuration, interval: FiniteDuration): Drop = {
    val lastShort = new AtomicLong(System.nanoTime)
    (waited, now) => {
      val short = waited <= target.toNanos
      if (short) lastShort.accumulateAndGet(now, (one, other) => if (one - other > 0) one else other)
      !short && now - lastShort.get > interval.toNanos
    }
  }
}

package lab.machine

import java.util.concurrent.locks.LockSupport

import scala.concurrent.duration._

/** Waits until a number has stopped changing, for experiments that ask how many tasks start, when not all of them may.
  *
  * {{{
  * val started = Settle(100)(counter.get)   // 100 as soon as it is 100; fewer if it then stays there
  * }}}
  */
object Settle {

  /** Returns `count` as soon as it is `enough`, or when it hasn't changed for as long as `quiet`.
    *
    * @param count read on the calling thread
    * @param poll  the time between two reads
    * @param limit the time after which it returns, even if the number still changes
    * @throws java.lang.InterruptedException if the cell is interrupted
    */
  def apply(
      enough: Int,
      quiet: FiniteDuration = 500.millis,
      limit: FiniteDuration = 30.seconds,
      poll: FiniteDuration = 3.millis
  )(count: => Int): Int = {
    val began = System.nanoTime
    var (seen, since) = (count, began)
    def now = System.nanoTime
    while (seen < enough && now - since < quiet.toNanos && now - began < limit.toNanos) {
      LockSupport.parkNanos(poll.toNanos)
      if (Thread.interrupted()) throw new InterruptedException("interrupted while waiting for a count to settle")
      val next = count
      if (next != seen) { seen = next; since = now }
    }
    seen
  }
}

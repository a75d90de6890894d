package lab.capstone

import java.lang.management.ManagementFactory.getThreadMXBean

import scala.concurrent.duration._

/** What the capstone's service computes: a page's sum is the end of a long chain, each step of which needs the one before. So nobody knows it
  * without having computed it, and on every machine it takes about as long.
  */
object Render {
  private val takes = 3.millis

  /** How many steps a page takes in this JVM. */
  private[capstone] lazy val stepsHere: Int = stepsIn(takes)

  /** The page with this number. */
  def page(n: Int): String = page(n, stepsHere)

  private[capstone] def page(n: Int, steps: Int): String = s"page $n: ${walk(n.toLong, steps)}"

  /** How much CPU time a page takes here, in nanoseconds: the least of several, since the others were disturbed. */
  private[capstone] def pageNanos(): Long = (1 to 15).map { n =>
    val from = getThreadMXBean.getCurrentThreadCpuTime
    if (page(n).isEmpty) throw new AssertionError("a page has text")
    getThreadMXBean.getCurrentThreadCpuTime - from
  }.min

  /** How many steps this machine takes in `time` of CPU time, once they are compiled. */
  private[capstone] def stepsIn(time: FiniteDuration): Int = {
    val steps = 1000000
    var sum = 0L
    def took(): Long = {
      val from = getThreadMXBean.getCurrentThreadCpuTime
      sum += walk(from, steps)
      getThreadMXBean.getCurrentThreadCpuTime - from
    }
    val fastest = Seq.fill(30)(took()).min.max(1)
    if (sum < 0) throw new AssertionError("a sum of numbers above zero") // so that no compiler can leave the walk out
    (steps.toDouble * time.toNanos / fastest).toInt.max(1000)
  }

  private def walk(from: Long, steps: Int): Long = {
    var (at, left) = (from, steps)
    while (left > 0) {
      at = at * 6364136223846793005L + 1442695040888963407L
      at ^= at >>> 29
      left -= 1
    }
    at & 0xffffffffL
  }
}

package lab.capstone

import java.lang.management.ManagementFactory.getThreadMXBean

import scala.concurrent.duration._

/** Computes the pages of the capstone's service. A page's sum is the end of a long chain, in which each step needs the previous one. So
  * nobody can know the sum without computing it, which takes about as long on every machine.
  */
object Render {
  private val takes = 3.millis

  /** The number of steps that a page takes in this JVM. */
  private[capstone] lazy val stepsHere: Int = stepsIn(takes)

  /** Renders the page with this number. */
  def page(n: Int): String = page(n, stepsHere)

  private[capstone] def page(n: Int, steps: Int): String = s"page $n: ${walk(n.toLong, steps)}"

  /** Returns the CPU time of a page here, in nanoseconds. It is the shortest of several measurements, because the others were disturbed. */
  private[capstone] def pageNanos(): Long = (1 to 15).map { n =>
    val from = getThreadMXBean.getCurrentThreadCpuTime
    if (page(n).isEmpty) throw new AssertionError("a page has text")
    getThreadMXBean.getCurrentThreadCpuTime - from
  }.min

  /** Returns how many steps this machine takes in `time` of CPU time, once they are compiled. */
  private[capstone] def stepsIn(time: FiniteDuration): Int = {
    val steps = 1000000
    var sum = 0L
    def took(): Long = {
      val from = getThreadMXBean.getCurrentThreadCpuTime
      sum += walk(from, steps)
      getThreadMXBean.getCurrentThreadCpuTime - from
    }
    val fastest = Seq.fill(30)(took()).min.max(1)
    if (sum < 0) throw new AssertionError("a sum of numbers above zero") // so that no compiler can leave out the walk
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

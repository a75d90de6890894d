package lab.chart

import java.util.concurrent.locks.LockSupport

import lab.show.Display

import scala.concurrent.duration._

/** Draws a chart again and again under the running cell while something changes. */
object Live {

  /** Draws until it is over, and returns then, with the final chart under the cell. Call it from the cell's own thread, which evaluates
    * everything. There is no limit. If it is never over, an interrupt ends it.
    *
    * @param every the time between two drawings
    * @param chart the chart of the present state. The last one also gets its words and its table
    * @throws java.lang.InterruptedException if the cell is interrupted
    */
  def apply(over: => Boolean, every: FiniteDuration = 500.millis)(chart: => Chart): Unit = {
    if (every <= Duration.Zero) throw new IllegalArgumentException(s"every must be above zero, not $every")
    var ended = over // checked before each picture, so that the last one shows the end
    var last = chart
    // JupyterLab's renderer of Plotly's charts ignores new content in a place where it has already drawn. So two places take turns, and one
    // of them is empty.
    var (shown, empty) = (Display.updatable(picture(last)), Display.updatable(nothing))
    while (!ended) {
      pause(every, over)
      ended = over
      last = chart
      empty.update(picture(last))
      shown.update(nothing)
      val other = shown
      shown = empty
      empty = other
    }
    last.bundles.drop(1).foreach(Display.show)
  }

  private def picture(chart: Chart): Map[String, String] = chart.bundles.head
  private val nothing = Map("text/plain" -> "", "text/html" -> "")

  /** Waits for `time`, but returns early, almost immediately, when it is over. */
  private def pause(time: FiniteDuration, over: => Boolean): Unit = {
    val until = System.nanoTime + time.toNanos
    while (!over && System.nanoTime < until) {
      LockSupport.parkNanos(20.millis.toNanos)
      if (Thread.interrupted()) throw new InterruptedException("interrupted while a chart was being drawn")
    }
  }
}

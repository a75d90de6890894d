package lab.chart

import java.util.concurrent.locks.LockSupport

import lab.show.Display

import scala.concurrent.duration._

/** A chart that is drawn again and again under the running cell while something goes on elsewhere.
  *
  * {{{
  * Live(over = done.isCompleted)(Timeline(trace))
  * }}}
  */
object Live {

  /** Comes back when it is over, with the chart as it is then. To be called from the cell's own thread, on which everything is evaluated.
    * There is no limit: if it is never over, an interrupt ends it.
    *
    * @param every how often it is drawn anew
    * @param chart what is known by now; the last one also gets its words and its table
    * @throws java.lang.InterruptedException if the cell is interrupted
    */
  def apply(over: => Boolean, every: FiniteDuration = 500.millis)(chart: => Chart): Unit = {
    if (every <= Duration.Zero) throw new IllegalArgumentException(s"a chart can be drawn anew after some time, not after $every")
    var ended = over // asked before each picture, so that the last one shows the end
    var last = chart
    // JupyterLab's renderer of Plotly's charts doesn't look at what comes into a place where it has drawn already. So there are two, of
    // which one is empty, and they take turns.
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

  /** An end is noticed at once, or nearly so. */
  private def pause(time: FiniteDuration, over: => Boolean): Unit = {
    val until = System.nanoTime + time.toNanos
    while (!over && System.nanoTime < until) {
      LockSupport.parkNanos(20.millis.toNanos)
      if (Thread.interrupted()) throw new InterruptedException("interrupted while a chart was being drawn")
    }
  }
}

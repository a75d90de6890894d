package lab

import java.util.concurrent.locks.LockSupport

import scala.concurrent.duration._

/** A chart that is drawn again and again under the running cell while something goes on elsewhere.
  *
  * {{{
  * Live(over = done.isCompleted)(Timeline(trace))
  * }}}
  */
object Live {

  /** Comes back when it is over, with the chart as it is then. To be called from the cell's own thread, on which everything is evaluated;
    * what the cell showed before is taken away.
    *
    * @param every how often it is drawn anew
    * @param chart what is known by now
    * @throws java.lang.InterruptedException if the cell is interrupted
    */
  def apply(over: => Boolean, every: FiniteDuration = 500.millis)(chart: => Chart): Unit = {
    if (every <= Duration.Zero) throw new IllegalArgumentException(s"a chart can be drawn anew after some time, not after $every")
    draw(chart)
    while (!over) {
      pause(every, over)
      draw(chart)
    }
  }

  /** In a new place, for JupyterLab's renderer of Plotly's charts doesn't look at what comes into one that it has drawn already. */
  private def draw(chart: Chart): Unit = {
    Display.clear(wait = true)
    chart.show()
  }

  /** An end is noticed at once, or nearly so. */
  private def pause(time: FiniteDuration, over: => Boolean): Unit = {
    val until = System.nanoTime + time.toNanos
    while (!over && System.nanoTime < until) {
      LockSupport.parkNanos(20.millis.toNanos)
      if (Thread.interrupted()) throw new InterruptedException("interrupted while a chart was being drawn")
    }
  }
}

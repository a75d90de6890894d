package lab.page

import lab.show.ProgressLine

/** Measures one point after the other, and shows its progress under the cell. Call it from the cell's own thread.
  *
  * {{{
  * val points = Sweep("threads", Seq(1, 2, 4))(threads => measure(threads))
  * }}}
  */
object Sweep {

  /** Returns what `measure` gives for each of `points`, in their order.
    *
    * @param what what differs between the points
    */
  def apply[A, B](what: String, points: Seq[A])(measure: A => B): Seq[B] = {
    val line = new ProgressLine("Sweep")
    val measured = points.zipWithIndex.map { case (point, index) =>
      line.say(s"$what $point, ${index + 1} of ${points.size}, ${line.time}")
      measure(point)
    }
    line.say(s"$what ${points.mkString(", ")} in ${line.time}")
    measured
  }
}

package lab.page

import lab.show.ProgressLine

/** Measures point after point, and says under the cell how far it is. To be called from the cell's own thread.
  *
  * {{{
  * val points = Sweep("threads", Seq(1, 2, 4))(threads => measure(threads))
  * }}}
  */
object Sweep {

  /** What `measure` gives for each of `points`, in their order.
    *
    * @param what what differs from point to point
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

package lab.chart

/** A bar: its height and, if it was measured more than once, the reach of its error bar, in the same unit.
  *
  * @param value its height
  * @param error how far the error bar reaches up, and also down if `below` isn't given
  * @param below how far the error bar reaches down; not a number if that is as far as up
  */
final case class BarValue(value: Double, error: Double = 0, below: Double = Double.NaN) {
  private[lab] def down: Double = if (below.isNaN) error else below
}

/** The points of a line, each drawn as a mark.
  *
  * @param points x and y of each, in the order in which a line joins them
  * @param band   lower and upper edge of a band around the line, for each point
  * @param errors half the length of each point's error bar, in the unit of its value
  * @param marked whether the points are marked
  * @param joined whether a line joins them
  * @param like   the label of the line whose colour it shares; `None` for a separate colour
  */
final case class LinePoints(
    points: Seq[(Double, Double)],
    band: Seq[(Double, Double)] = Nil,
    errors: Seq[Double] = Nil,
    marked: Boolean = true,
    joined: Boolean = true,
    like: Option[String] = None
) {

  /** Returns the same points as marks without a line, for measured values. */
  def marksOnly: LinePoints = copy(joined = false)

  /** Returns the same line without marks, for a theory, or for other values that were computed and not measured. */
  def lineOnly: LinePoints = copy(marked = false)

  /** Returns the same points in the colour of the line `label`, to show measured values with expected ones. */
  def as(label: String): LinePoints = copy(like = Some(label))
}

package lab.chart

/** A bar: its height and, where it was measured more than once, how far its error bar reaches, in the same unit.
  *
  * @param value its height
  * @param error how far up, and down as well where `below` isn't given
  * @param below how far down; not a number where it is as far as up
  */
final case class BarValue(value: Double, error: Double = 0, below: Double = Double.NaN) {
  private[lab] def down: Double = if (below.isNaN) error else below
}

/** What a line goes through: points, each drawn as a mark.
  *
  * @param points x and y of each, in the order in which a line joins them
  * @param band   lower and upper edge of a band around the line, for each point
  * @param errors half the width of each point's error bar, in the unit of its value
  * @param marked whether the points are marked
  * @param joined whether a line joins them
  * @param like   the label of the line whose colour it has, if not one of its own
  */
final case class LinePoints(
    points: Seq[(Double, Double)],
    band: Seq[(Double, Double)] = Nil,
    errors: Seq[Double] = Nil,
    marked: Boolean = true,
    joined: Boolean = true,
    like: Option[String] = None
) {

  /** Measured values: marks that no line joins. */
  def marksOnly: LinePoints = copy(joined = false)

  /** A theory, or anything else that was computed and not measured: a line without marks. */
  def lineOnly: LinePoints = copy(marked = false)

  /** In the colour of the line `label`: what was measured beside what it was expected to be. */
  def as(label: String): LinePoints = copy(like = Some(label))
}

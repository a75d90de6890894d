package lab.chart

import plotly.element.{Color, Dash, OneOrSeq, Symbol}
import plotly.layout.Layout

import lab.show.{Markup, Say, Table}

/** A [[Chart]] as its drawing code returns it.
  *
  * @param more values for which the typed model has no field, as in [[Figure]]
  */
private[lab] final case class Drawing(
    title: String,
    summary: String,
    table: Table,
    data: Seq[plotly.Trace],
    layout: Layout,
    more: Seq[(String, Any)]
) {
  def figure: Figure = Figure(data, layout, Look.config, Look.more ++ more)
}

/** Helpers for drawings. */
private[lab] object Drawing {

  /** Makes the vertical axis start at zero. */
  val roomAbove = Seq("layout.yaxis.rangemode" -> "tozero")

  /** Returns a series' dash. When the colours repeat, the dashes change, so series differ by more than colour. */
  def dash(index: Int): Dash = Vector(Dash.Solid, Dash.Dot, Dash.DashDot)((index + round(index)) % 3)

  def symbol(index: Int): Symbol =
    Vector(Symbol.Circle(), Symbol.Square(), Symbol.Diamond(), Symbol.Cross())((index + round(index)) % 4)

  /** Returns the hatching of a series' bars. Bars whose colour is that of an earlier series are hatched. */
  def hatched(trace: Int, index: Int): Seq[(String, Any)] = hatch(trace, hatches(round(index) % hatches.size), filled = true)

  /** Puts Plotly's pattern `shape` on the bars of a trace. The pattern is dark if the bars are `filled`. Otherwise it has their colour, on
    * no background.
    */
  def hatch(trace: Int, shape: String, filled: Boolean): Seq[(String, Any)] = if (shape.isEmpty) Nil
  else {
    val stripes = Seq("shape" -> shape, "size" -> 7, "solidity" -> (if (filled) 0.2 else 0.4))
    val dark = if (filled) Seq("fillmode" -> "overlay", "fgcolor" -> Look.core, "fgopacity" -> 0.5) else Nil
    Seq(s"data.$trace.marker.pattern" -> Figure.record(stripes ++ dark: _*))
  }

  private val hatches = Vector("", "/", "x")
  private def round(index: Int): Int = index / Look.series.size

  def color(index: Int): OneOrSeq[Color] = OneOrSeq.One(Look.series(index % Look.series.size))

  def faded(index: Int): OneOrSeq[Color] = OneOrSeq.One(Look.series(index % Look.series.size) match {
    case c: Color.RGB => Color.RGBA(c.r, c.g, c.b, 0.2)
    case other        => other
  })

  /** Returns the names of the legend; none for a single series. */
  def legend(series: Seq[(String, Any)]): Seq[String] = if (series.size > 1) series.map(_._1) else Nil

  def hover(template: String, label: String, several: Boolean): String =
    template + (if (several) s"<extra>${Markup.escape(label)}</extra>" else "<extra></extra>")

  def span(values: Seq[(Double, String)], what: String): String =
    if (values.isEmpty) "Nothing was measured."
    else {
      val (low, high) = (values.minBy(_._1), values.maxBy(_._1))
      if (low._1 == high._1) s"$what: ${Say.number(low._1)} everywhere."
      else s"$what: from ${Say.number(low._1)} (${low._2}) to ${Say.number(high._1)} (${high._2})."
    }
}

package lab.chart

import lab.show.{Display, Markup, Say, Table}

/** A chart, with its content in words and numbers, for readers who can't see it or who want the digits.
  *
  * @param title   the finding, as a sentence
  * @param summary what the picture shows, in one or two sentences
  * @param table   the numbers behind the picture
  * @param figure  the picture
  * @param parts   the charts that it consists of, by name: its panels, or one chart for each value of its slider
  */
final case class Chart(title: String, summary: String, table: Table, figure: Figure, parts: Seq[(String, Chart)] = Nil) {

  /** Draws the chart under the running cell, with its words and its table folded away below. */
  def show(): Unit = bundles.foreach(Display.show)

  private[chart] def bundles: Seq[Map[String, String]] = Seq(
    Map("application/vnd.plotly.v1+json" -> figure.json, "text/plain" -> plain),
    Map("text/html" -> (details + Look.lighterOnDark), "text/plain" -> s"(the chart above as a table: ${table.caption})")
  )

  /** Returns title, summary and table as text, also those of its parts. */
  def plain: String =
    (Seq(title, summary, table.plain).filter(_.nonEmpty) ++ parts.map { case (name, part) => s"$name: ${part.plain}" }).mkString("\n\n")

  private def details: String = folded("The chart in words and as a table")

  /** Returns everything that a slider shows, because the keyboard can't reach Plotly's sliders. */
  private def folded(name: String): String =
    s"""<details><summary style="cursor:pointer;opacity:.75">${Markup.escape(name)}</summary>
       |<p>${Markup.inline(title)}. ${Markup.inline(summary)}</p>
       |${table.html}
       |${parts.map { case (name, part) => part.folded(name) }.mkString("\n")}
       |</details>""".stripMargin

  override def toString: String = title
}

object Chart {

  /** A bar: see [[BarValue]]. */
  type Value = BarValue

  /** Creates a bar: `Chart.Value(12.5, error = 0.4)`. */
  val Value = BarValue

  /** The points of a line: see [[LinePoints]]. */
  type Points = LinePoints

  /** Creates points: `Chart.Points(1.0 -> 3.5, 2.0 -> 4.1)`. */
  val Points = LinePoints

  /** Draws one bar per name.
    *
    * @param title the finding
    * @param x     what the names are
    * @param y     what is measured, with its unit
    */
  def bars(title: String, x: String, y: String)(values: Seq[(String, Double)]): Chart =
    groups(title, x, y)(Seq(y -> values.map { case (name, value) => name -> Value(value) }))

  /** Draws one group of bars per name, with one bar of each series. If a series doesn't have a name, there is a gap. The bars are
    * horizontal if the names are too many or too long for upright ones.
    */
  def groups(title: String, x: String, y: String)(series: Seq[(String, Seq[(String, Value)])]): Chart =
    Chart(Bars.groups(title, x, y, series))

  /** Draws one horizontal bar per name, which consists of parts end to end. Parts have the colours of series, in the order in which they
    * first occur.
    *
    * {{{
    * Chart.stacked("Under global no frame is yours", "where it ran", "frames of the stack trace")(
    *   Seq("global" -> Seq("yours" -> 1, "Scala" -> 7, "JDK" -> 5), "direct" -> Seq("yours" -> 12, "Scala" -> 20, "JDK" -> 1)))
    * }}}
    *
    * @param x what the names are
    * @param y what is counted or measured, with its unit
    * @throws java.lang.IllegalArgumentException if a part is negative or not a number
    */
  def stacked(title: String, x: String, y: String)(bars: Seq[(String, Seq[(String, Double)])]): Chart =
    Chart(Bars.stacked(title, x, y, bars))

  /** Draws lines through points, on numeric axes. Each label's line has its own colour and dash.
    *
    * @param at   vertical lines across the plot, each with a word, for predictions, for example
    * @param logX whether the horizontal axis is logarithmic, for values that double from point to point
    * @param logY whether the vertical axis is logarithmic; otherwise it starts at zero
    * @throws java.lang.IllegalArgumentException if a line's band or errors have more or fewer entries than it has points; if a value on a
    *                                            logarithmic axis isn't above zero; if a line refers to the colour of a line that doesn't
    *                                            exist
    */
  def lines(title: String, x: String, y: String, at: Seq[(String, Double)] = Nil, logX: Boolean = false, logY: Boolean = false)(
      series: Seq[(String, Points)]
  ): Chart = Chart(Lines(title, x, y, at, logX, logY, series))

  /** Draws percentile curves. The horizontal axis is stretched towards 100 %, as is usual for HdrHistogram: each further nine gets as much
    * room as the previous one. If latencies differ more than twentyfold, their axis is logarithmic.
    *
    * @param beside latencies that the reader will compare with this chart, at another value of [[explore]]'s slider, for example. The unit
    *               and the kind of axis also suit these
    * @param of     what the durations are; it names the vertical axis
    */
  def percentiles(title: String, beside: Seq[Latencies] = Nil, of: String = "latency")(series: Seq[(String, Latencies)]): Chart =
    Chart(Curves.percentiles(title, beside, of, series))

  /** Draws several charts below each other as one, such as a timeline above a curve. Each chart's title is above its own picture.
    *
    * {{{
    * Chart.panels("The queue is what p99 sees")(Timeline("what happens", spans), Chart.percentiles("what it costs")(series))
    * }}}
    *
    * @param title       the finding of all charts together
    * @param oneTimeAxis whether the same horizontal place is the same moment in all charts. Then a zoom changes all of them, and only the
    *                    last one has numbers along its axis
    * @throws java.lang.IllegalArgumentException if there is no chart, or if one chart has grouped bars and another has stacked bars or a
    *                                            timeline
    */
  def panels(title: String, oneTimeAxis: Boolean = false)(charts: Chart*): Chart = {
    val figure = Panels(title, oneTimeAxis, charts.map(chart => chart.title -> chart.figure))
    val table = Table("What is shown", Seq("panel", "in words"), charts.map(chart => Seq(chart.title, chart.summary)))
    Chart(title, charts.map(_.title).mkString("", "; ", "."), table, figure, charts.map(chart => chart.title -> chart))
  }

  /** Draws a slider over a parameter, with one chart of the same kind for each of its values. All charts have the same axes, so that the
    * eye can compare them. The title of the selected chart is below `title`. The slider needs no kernel, because the page contains all
    * charts.
    *
    * {{{
    * Chart.explore("The longer the report, the longer all wait", parameter = "length of the report", unit = "ms")(
    *   Seq(1, 5, 25).map(millis => millis.toString -> Chart.panels(found(millis))(timeline(millis), curve(millis))))
    * }}}
    *
    * @param parameter what was varied
    * @param unit      the unit of its values; empty if they are words
    * @throws java.lang.IllegalArgumentException if there are fewer than two values, or two have the same name
    * @note if an axis has one unit for one value and another unit for the next ("µs", "ms"), it has its own scale for each. To avoid that,
    *       use the parameter `beside` of [[percentiles]], and give timelines a window of the same length
    */
  def explore(title: String, parameter: String, unit: String = "")(values: Seq[(String, Chart)]): Chart = {
    val after = if (unit.isEmpty) "" else s" $unit"
    val figure = Explore(title, parameter, unit, values.map { case (name, chart) => (name, chart.title, chart.figure) })
    val table = Table(
      s"For each $parameter",
      Seq(if (unit.isEmpty) parameter else s"$parameter ($unit)", "what is found", "in words"),
      values.map { case (name, chart) => Seq(name, chart.title, chart.summary) }
    )
    val summary = s"A slider over the $parameter: ${Say.list(values.map(_._1))}$after."
    Chart(title, summary, table, figure, values.map { case (name, chart) => s"$parameter: $name$after" -> chart })
  }

  private[lab] def apply(drawing: Drawing): Chart = Chart(drawing.title, drawing.summary, drawing.table, drawing.figure)
}

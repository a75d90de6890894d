package lab.chart

import lab.show.{Display, Markup, Say, Table}

/** A chart with what it says in words and numbers, for those who can't see it and for those who want the digits.
  *
  * @param title   the finding, as a sentence
  * @param summary what the picture shows, in a sentence or two
  * @param table   the numbers behind the picture
  * @param figure  the picture
  * @param parts   what it is made of, by name: its panels, or one chart for each place of its slider
  */
final case class Chart(title: String, summary: String, table: Table, figure: Figure, parts: Seq[(String, Chart)] = Nil) {

  /** Draws the chart under the running cell and, folded away beneath it, its words and its table. */
  def show(): Unit = bundles.foreach(Display.show)

  private[chart] def bundles: Seq[Map[String, String]] = Seq(
    Map("application/vnd.plotly.v1+json" -> figure.json, "text/plain" -> plain),
    Map("text/html" -> (details + Look.lighterOnDark), "text/plain" -> s"(the chart above as a table: ${table.caption})")
  )

  /** Title, summary and table as text, and the same of its parts. */
  def plain: String =
    (Seq(title, summary, table.plain).filter(_.nonEmpty) ++ parts.map { case (name, part) => s"$name: ${part.plain}" }).mkString("\n\n")

  private def details: String = folded("The chart in words and as a table")

  /** Whatever a slider shows is here too, for who doesn't use a mouse: Plotly's sliders can't be reached by the keyboard. */
  private def folded(name: String): String =
    s"""<details><summary style="cursor:pointer;opacity:.75">${Markup.escape(name)}</summary>
       |<p>${Markup.inline(title)}. ${Markup.inline(summary)}</p>
       |${table.html}
       |${parts.map { case (name, part) => part.folded(name) }.mkString("\n")}
       |</details>""".stripMargin

  override def toString: String = title
}

object Chart {

  /** See [[BarValue]]. */
  type Value = BarValue

  /** Makes one: `Chart.Value(12.5, error = 0.4)`. */
  val Value = BarValue

  /** See [[LinePoints]]. */
  type Points = LinePoints

  /** Makes one: `Chart.Points(1.0 -> 3.5, 2.0 -> 4.1)`. */
  val Points = LinePoints

  /** One bar per name.
    *
    * @param title the finding
    * @param x     what the names are
    * @param y     what is measured, with its unit
    */
  def bars(title: String, x: String, y: String)(values: Seq[(String, Double)]): Chart =
    groups(title, x, y)(Seq(y -> values.map { case (name, value) => name -> Value(value) }))

  /** One group of bars per name, one bar of each series in it; a name that a series hasn't got leaves a gap. The bars lie where the names
    * are too many or too long to stand side by side.
    */
  def groups(title: String, x: String, y: String)(series: Seq[(String, Seq[(String, Value)])]): Chart =
    Chart(Bars.groups(title, x, y, series))

  /** One bar per name, made of parts end to end; the bars lie. Parts have the colours of series, in the order in which they first occur.
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

  /** Lines through points, on numeric axes. Each label's line has its colour and dash.
    *
    * @param at   vertical lines across the plot, each with a word: where something was predicted, say
    * @param logX whether the horizontal axis is logarithmic, for what doubles from point to point
    * @param logY whether the vertical axis is logarithmic; it starts at zero otherwise
    * @throws java.lang.IllegalArgumentException if a line's band or errors have more or fewer entries than it has points; if a value that
    *                                            stands on a logarithmic axis isn't above zero; if a line is to look like one that isn't
    *                                            there
    */
  def lines(title: String, x: String, y: String, at: Seq[(String, Double)] = Nil, logX: Boolean = false, logY: Boolean = false)(
      series: Seq[(String, Points)]
  ): Chart = Chart(Lines(title, x, y, at, logX, logY, series))

  /** Percentile curves: the horizontal axis is stretched towards 100 %, as is usual for HdrHistogram, so that each further nine gets as
    * much room as the one before. Latencies that differ more than twentyfold stand on a logarithmic axis.
    *
    * @param beside what this chart will be compared with, at another place of [[explore]]'s slider, say: the unit and the kind of axis are
    *               such that they fit those latencies too
    * @param of     what the durations are; it names the vertical axis
    */
  def percentiles(title: String, beside: Seq[Latencies] = Nil, of: String = "latency")(series: Seq[(String, Latencies)]): Chart =
    Chart(Curves.percentiles(title, beside, of, series))

  /** Several charts under one another, as one: a timeline above a curve, say. Each chart's title stands above its own picture.
    *
    * {{{
    * Chart.panels("The queue is what p99 sees")(Timeline("what happens", spans), Chart.percentiles("what it costs")(series))
    * }}}
    *
    * @param title       the finding of all of them together
    * @param oneTimeAxis whether what lies at the same place across is the same moment: zooming one then zooms all, and only the last has
    *                    numbers along its axis
    * @throws java.lang.IllegalArgumentException if there is none, or if bars are grouped in one chart and stacked, or a timeline, in another
    */
  def panels(title: String, oneTimeAxis: Boolean = false)(charts: Chart*): Chart = {
    val figure = Panels(title, oneTimeAxis, charts.map(chart => chart.title -> chart.figure))
    val table = Table("What is shown", Seq("panel", "in words"), charts.map(chart => Seq(chart.title, chart.summary)))
    Chart(title, charts.map(_.title).mkString("", "; ", "."), table, figure, charts.map(chart => chart.title -> chart))
  }

  /** A slider over what was varied: for each of its values, one chart of the same kind. All have the same axes, so that the eye compares;
    * the title of the chart at which the slider stands is below `title`. It needs no kernel, only the page: the charts are in the picture.
    *
    * {{{
    * Chart.explore("The longer the report, the longer all wait", parameter = "length of the report", unit = "ms")(
    *   Seq(1, 5, 25).map(millis => millis.toString -> Chart.panels(found(millis))(timeline(millis), curve(millis))))
    * }}}
    *
    * @param parameter what was varied
    * @param unit      of its values; empty where they are words
    * @throws java.lang.IllegalArgumentException if there are fewer than two values, or two have the same name
    * @note an axis that has one unit at one value and another one at the next ("µs", "ms") keeps a scale of its own at each: see the
    *       parameter `beside` of [[percentiles]], and give timelines a window of the same length
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

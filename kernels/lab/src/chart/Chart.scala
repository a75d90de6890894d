package lab

/** A chart with what it says in words and numbers, for those who can't see it and for those who want the digits.
  *
  * @param title   the finding, as a sentence
  * @param summary what the picture shows, in a sentence or two
  * @param table   the numbers behind the picture
  */
final case class Chart(title: String, summary: String, table: Table, figure: Figure) {

  /** Draws the chart under the running cell and, folded away beneath it, its words and its table. */
  def show(): Unit = bundles.foreach(Display.show)

  private[lab] def bundles: Seq[Map[String, String]] = Seq(
    Map("application/vnd.plotly.v1+json" -> figure.json, "text/plain" -> plain),
    Map("text/html" -> details, "text/plain" -> s"(the chart above as a table: ${table.caption})")
  )

  /** Title, summary and table as text. */
  def plain: String = Seq(title, summary, table.plain).filter(_.nonEmpty).mkString("\n\n")

  private def details: String =
    s"""<details><summary style="cursor:pointer;opacity:.75">The chart in words and as a table</summary>
       |<p>${Markup.escape(title)}. ${Markup.escape(summary)}</p>
       |${table.html}
       |</details>""".stripMargin

  override def toString: String = title
}

object Chart {

  /** See [[BarValue]]. */
  type Value = BarValue
  val Value = BarValue

  /** See [[LinePoints]]. */
  type Points = LinePoints
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
    */
  def percentiles(title: String)(series: Seq[(String, Latencies)]): Chart = Chart(Curves.percentiles(title, series))

  /** How durations are spread: what share of them falls into each class, where each class is wider than the one before by the same factor,
    * at most a quarter.
    */
  def distribution(title: String)(series: Seq[(String, Latencies)]): Chart = Chart(Curves.distribution(title, series))

  private[lab] def apply(drawing: Drawing): Chart = Chart(drawing.title, drawing.summary, drawing.table, drawing.figure)
}

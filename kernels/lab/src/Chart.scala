package lab

import plotly.element.{AxisType, Color, Dash, Fill, Line, LineShape, OneOrSeq, ScatterMode, TickMode}
import plotly.layout.Layout
import plotly.{Scatter, Sequence}

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

  /** A bar: its height and, where it was measured more than once, the half-width of its error bar in the same unit. */
  final case class Value(value: Double, error: Double = 0)

  /** One bar per name.
    *
    * @param title the finding
    * @param x     what the names are
    * @param y     what is measured, with its unit
    */
  def bars(title: String, x: String, y: String)(values: Seq[(String, Double)]): Chart =
    groups(title, x, y)(Seq(y -> values.map { case (name, value) => name -> Value(value) }))

  /** One group of bars per name, one bar of each series in it; a name that a series hasn't got leaves a gap. The bars lie where the names are too many or too long
    * to stand side by side.
    */
  def groups(title: String, x: String, y: String)(series: Seq[(String, Seq[(String, Value)])]): Chart = Bars.groups(title, x, y, series)

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
  def stacked(title: String, x: String, y: String)(bars: Seq[(String, Seq[(String, Double)])]): Chart = Bars.stacked(title, x, y, bars)

  /** What a line goes through: points, each drawn as a mark.
    *
    * @param band   lower and upper edge of a band around the line, for each point
    * @param errors half the width of each point's error bar, in the unit of its value
    * @param marked whether the points are marked
    * @param joined whether a line joins them
    * @param like   the label of the line whose colour it has, if not one of its own
    */
  final case class Points(
      points: Seq[(Double, Double)],
      band: Seq[(Double, Double)] = Nil,
      errors: Seq[Double] = Nil,
      marked: Boolean = true,
      joined: Boolean = true,
      like: Option[String] = None
  ) {

    /** Measured values: marks that no line joins. */
    def marksOnly: Points = copy(joined = false)

    /** A theory, or anything else that was computed and not measured: a line without marks. */
    def lineOnly: Points = copy(marked = false)

    /** In the colour of the line `label`: what was measured beside what it was expected to be. */
    def as(label: String): Points = copy(like = Some(label))
  }

  /** Lines through points, on numeric axes. Each label's line has its colour and dash.
    *
    * @param at   vertical lines across the plot, each with a word: where something was predicted, say
    * @param logX whether the horizontal axis is logarithmic, for what doubles from point to point
    * @param logY whether the vertical axis is logarithmic; it starts at zero otherwise
    * @throws java.lang.IllegalArgumentException if a line's band or errors have more or fewer entries than it has points; if a value that stands on a logarithmic axis
    *                                            isn't above zero; if a line is to look like one that isn't there
    */
  def lines(title: String, x: String, y: String, at: Seq[(String, Double)] = Nil, logX: Boolean = false, logY: Boolean = false)(
      series: Seq[(String, Points)]
  ): Chart = Lines(title, x, y, at, logX, logY, series)

  /** Percentile curves: the horizontal axis is stretched towards 100 %, as is usual for HdrHistogram, so that each further nine gets as much room as the one
    * before. Latencies that differ more than twentyfold stand on a logarithmic axis.
    */
  def percentiles(title: String)(series: Seq[(String, Latencies)]): Chart = {
    val curves = series.map { case (label, latencies) => label -> latencies.curve }
    val tops = series.map(_._2.maxNanos).filter(_ > 0)
    val wide = tops.nonEmpty && tops.max > 20 * tops.min
    val (unit, size) = Scale.timeUnit(tops.maxOption.getOrElse(0L), 2)
    val farthest = curves.flatMap(_._2.map { case (percent, _) => nines(percent) }).maxOption.getOrElse(10.0)
    val data = curves.zipWithIndex.map { case ((label, points), index) =>
      Scatter(
        Sequence.Doubles(points.map { case (percent, _) => nines(percent) }),
        Sequence.Doubles(points.map { case (_, nanos) => nanos / size })
      )
        .withName(label)
        .withText(points.map { case (percent, nanos) => f"p${percent}%.4g: ${Say.nanos(nanos)}" })
        .withMode(ScatterMode(ScatterMode.Lines))
        .withLine(Line().withColor(color(index)).withWidth(2.5).withDash(dash(index)))
        .withHovertemplate(hover("%{text}", label, series.size > 1))
    }
    val marks = percentMarks.filter { case (percent, _) => percent == 0 || nines(percent) <= farthest * 1.01 }
    val across = Look
      .axis("percentile")
      .withType(AxisType.Log)
      .withTickmode(TickMode.Array)
      .withTickvals(Sequence.Doubles(marks.map { case (percent, _) => nines(percent) }))
      .withTicktext(Sequence.Strings(marks.map(_._2)))
    val up = Look.axis(if (wide) s"latency ($unit, logarithmic)" else s"latency ($unit)")
    val heights = curves.flatMap(_._2.map { case (_, nanos) => nanos / size })
    val layout = Look.layout(title, 300, legend(series)).withXaxis(across).withYaxis(if (wide) Scale.logarithmic(up, heights) else up)
    draw(title, told(series), latencyTable(series), data, layout, if (wide) Nil else roomAbove ++ Scale.numbers("yaxis", heights))
  }

  /** How durations are spread: what share of them falls into each class, where each class is wider than the one before by the same factor, at most a quarter. */
  def distribution(title: String)(series: Seq[(String, Latencies)]): Chart = {
    val (unit, size) = Scale.timeUnit(series.map(_._2.maxNanos).maxOption.getOrElse(0L), 2)
    val factor = Latencies.classFactor(series.map(_._2))
    val data = series.zipWithIndex.map { case ((label, latencies), index) =>
      val classes = latencies.classes(factor)
      val edges = classes.map(_._1 / size) ++ classes.lastOption.map(_._2 / size)
      val shares = classes.map(_._3 * 100.0 / latencies.count)
      Scatter(Sequence.Doubles(edges), Sequence.Doubles(shares ++ shares.lastOption))
        .withName(label)
        .withMode(ScatterMode(ScatterMode.Lines))
        .withFill(Fill.ToZeroY)
        .withFillcolor(faded(index))
        .withLine(Line().withColor(color(index)).withWidth(2.5).withDash(dash(index)).withShape(LineShape.HV))
        .withHovertemplate(hover(s"from %{x:.3~r} $unit: %{y:.1f} %", label, series.size > 1))
    }
    val ends = series.flatMap { case (_, latencies) =>
      latencies.classes(factor).flatMap { case (from, until, _) => Seq(from / size, until / size) }
    }
    val layout = Look
      .layout(title, 300, legend(series))
      .withXaxis(Scale.logarithmic(Look.axis(s"latency ($unit, logarithmic)"), ends))
      .withYaxis(Look.axis("share of calls (%)"))
    draw(title, told(series), latencyTable(series), data, layout, roomAbove)
  }

  /** 0 % lies at 1, 90 % at 10, 99 % at 100. */
  private def nines(percent: Double): Double = 100 / (100 - percent)

  private val percentMarks =
    Seq(0.0 -> "0 %", 50.0 -> "50 %", 90.0 -> "90 %", 99.0 -> "99 %", 99.9 -> "99.9 %", 99.99 -> "99.99 %", 99.999 -> "99.999 %")

  private def told(series: Seq[(String, Latencies)]): String =
    series.map { case (label, latencies) => s"$label: $latencies." }.mkString(" ")

  private def latencyTable(series: Seq[(String, Latencies)]): Table = {
    val percents = Seq("p50" -> 50.0, "p90" -> 90.0, "p95" -> 95.0, "p99" -> 99.0, "p99.9" -> 99.9, "max" -> 100.0)
    Table(
      "Latencies",
      "run" +: "count" +: percents.map(_._1),
      series.map { case (label, latencies) =>
        label +: latencies.count.toString +: percents.map { case (_, percent) => Say.nanos(latencies.percentileNanos(percent)) }
      }
    )
  }

  private[lab] def draw(
      title: String,
      summary: String,
      table: Table,
      data: Seq[plotly.Trace],
      layout: Layout,
      more: Seq[(String, com.google.gson.JsonElement)]
  ): Chart = Chart(title, summary, table, Figure(data, layout, Look.config, Look.more ++ more))

  /** Lines start at zero. */
  private[lab] val roomAbove = Seq("layout.yaxis.rangemode" -> Figure.encode("tozero"))

  /** Series differ by more than colour. */
  private[lab] def dash(index: Int): Dash = Vector(Dash.Solid, Dash.Dot, Dash.DashDot)(index % 3)

  private[lab] def color(index: Int): OneOrSeq[Color] = OneOrSeq.One(Look.series(index % Look.series.size))

  private[lab] def faded(index: Int): OneOrSeq[Color] = OneOrSeq.One(Look.series(index % Look.series.size) match {
    case c: Color.RGB => Color.RGBA(c.r, c.g, c.b, 0.2)
    case other        => other
  })

  /** One series needs no legend. */
  private[lab] def legend(series: Seq[(String, Any)]): Seq[String] = if (series.size > 1) series.map(_._1) else Nil

  private[lab] def hover(template: String, label: String, several: Boolean): String =
    template + (if (several) s"<extra>${Markup.escape(label)}</extra>" else "<extra></extra>")

  private[lab] def span(values: Seq[(Double, String)], what: String): String =
    if (values.isEmpty) "Nothing was measured."
    else {
      val (low, high) = (values.minBy(_._1), values.maxBy(_._1))
      if (low._1 == high._1) s"$what: ${Say.number(low._1)} everywhere."
      else s"$what: from ${Say.number(low._1)} (${low._2}) to ${Say.number(high._1)} (${high._2})."
    }
}

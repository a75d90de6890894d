package lab

import plotly.element.{
  AxisType,
  BarTextPosition,
  Color,
  Dash,
  Error,
  Fill,
  HoverInfo,
  Line,
  LineShape,
  Marker,
  OneOrSeq,
  ScatterMode,
  TickMode
}
import plotly.layout.{BarMode, Layout}
import plotly.{Bar, Scatter, Sequence}

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

  /** One group of bars per name, one bar of each series in it; a name that a series hasn't got leaves a gap. */
  def groups(title: String, x: String, y: String)(series: Seq[(String, Seq[(String, Value)])]): Chart = {
    val several = series.size > 1
    val names = series.flatMap { case (_, values) => values.map { case (name, _) => name } }.distinct
    val data = series.zipWithIndex.map { case ((label, values), index) =>
      val bar = Bar(Sequence.Strings(values.map { case (name, _) => category(name) }), Sequence.Doubles(values.map(_._2.value)))
        .withName(label)
        .withText(values.map { case (_, value) => Say.number(value.value) })
        .withTextposition(BarTextPosition.Outside)
        .withMarker(Marker().withColor(color(index)))
        .withHovertemplate(hover("%{x}: %{y}", label, several))
      if (values.exists(_._2.error > 0)) bar.withError_y(Error.Data(values.map(_._2.error)).withVisible(true)) else bar
    }
    val layout = Look
      .layout(title, 280, several)
      .withBarmode(BarMode.Group)
      .withXaxis(Look.axis(x).withShowgrid(false).withType(AxisType.Category))
      .withYaxis(Look.axis(y))
    val cells = names.map { name =>
      name +: series.map { case (_, values) => values.collectFirst { case (`name`, value) => show(value) }.getOrElse("–") }
    }
    val highest = for { (label, values) <- series; (name, value) <- values } yield (value.value, if (several) s"$label, $name" else name)
    draw(title, span(highest, y), Table(y, x +: series.map(_._1), cells), data, layout, roomAbove)
  }

  /** A line's points and, optionally, a band around them: lower and upper edge for each point. */
  final case class Points(points: Seq[(Double, Double)], band: Seq[(Double, Double)] = Nil)

  /** Lines through points, on numeric axes.
    *
    * @throws java.lang.IllegalArgumentException if a band has more or fewer entries than its line has points
    */
  def lines(title: String, x: String, y: String)(series: Seq[(String, Points)]): Chart = {
    val data = series.zipWithIndex.flatMap { case ((label, line), index) =>
      require(
        line.band.isEmpty || line.band.size == line.points.size,
        s"the band of '$label' needs one entry for each of its ${line.points.size} points"
      )
      val (xs, ys) = line.points.unzip
      val band = Option.when(line.band.nonEmpty) {
        Scatter(Sequence.Doubles(xs ++ xs.reverse), Sequence.Doubles(line.band.map(_._1) ++ line.band.map(_._2).reverse))
          .withMode(ScatterMode(ScatterMode.Lines))
          .withFill(Fill.ToSelf)
          .withFillcolor(one(faded(index)))
          .withLine(Line().withWidth(0.0))
          .withHoverinfo(HoverInfo.Skip)
          .withShowlegend(false)
      }
      val drawn = Scatter(Sequence.Doubles(xs), Sequence.Doubles(ys))
        .withName(label)
        .withMode(ScatterMode(ScatterMode.Lines, ScatterMode.Markers))
        .withLine(Line().withColor(color(index)).withWidth(2.0).withDash(dashes(index % dashes.size)))
        .withMarker(Marker().withColor(color(index)).withSize(8))
        .withHovertemplate(hover("%{x}: %{y}", label, series.size > 1))
      band.toSeq :+ drawn
    }
    val layout = Look.layout(title, 300, series.size > 1).withXaxis(Look.axis(x)).withYaxis(Look.axis(y))
    val xs = series.flatMap(_._2.points.map(_._1)).distinct.sorted
    val cells = xs.map { at =>
      Say.number(at) +: series.map { case (_, line) => line.points.collectFirst { case (`at`, value) => Say.number(value) }.getOrElse("–") }
    }
    val all = for { (label, line) <- series; (at, value) <- line.points } yield (value, s"$label at ${Say.number(at)}")
    draw(title, span(all, y), Table(y, x +: series.map(_._1), cells), data, layout, roomAbove)
  }

  /** Percentile curves: the horizontal axis is stretched towards 100 %, as is usual for HdrHistogram, so that each further nine gets as much room as the one
    * before. Latencies that differ more than twentyfold stand on a logarithmic axis.
    */
  def percentiles(title: String)(series: Seq[(String, Latencies)]): Chart = {
    val curves = series.map { case (label, latencies) => label -> latencies.curve }
    val tops = series.map(_._2.maxNanos).filter(_ > 0)
    val wide = tops.nonEmpty && tops.max > 20 * tops.min
    val farthest = curves.flatMap(_._2.map { case (percent, _) => nines(percent) }).maxOption.getOrElse(10.0)
    val data = curves.zipWithIndex.map { case ((label, points), index) =>
      Scatter(
        Sequence.Doubles(points.map { case (percent, _) => nines(percent) }),
        Sequence.Doubles(points.map { case (_, nanos) => nanos / 1e6 })
      )
        .withName(label)
        .withText(points.map { case (percent, nanos) => f"p${percent}%.4g: ${Say.nanos(nanos)}" })
        .withMode(ScatterMode(ScatterMode.Lines))
        .withLine(Line().withColor(color(index)).withWidth(2.0).withDash(dashes(index % dashes.size)))
        .withHovertemplate(hover("%{text}", label, series.size > 1))
    }
    val marks = percentMarks.filter { case (percent, _) => percent == 0 || nines(percent) <= farthest * 1.01 }
    val across = Look
      .axis("percentile")
      .withType(AxisType.Log)
      .withTickmode(TickMode.Array)
      .withTickvals(Sequence.Doubles(marks.map { case (percent, _) => nines(percent) }))
      .withTicktext(Sequence.Strings(marks.map(_._2)))
    val up = Look.axis(if (wide) "latency (ms, logarithmic)" else "latency (ms)")
    val layout =
      Look.layout(title, 300, series.size > 1).withXaxis(across).withYaxis(if (wide) up.withType(AxisType.Log) else up)
    draw(title, told(series), latencyTable(series), data, layout, if (wide) Nil else roomAbove)
  }

  /** How durations are spread: what share of them falls into each class, where each class is a quarter wider than the one before. */
  def distribution(title: String)(series: Seq[(String, Latencies)]): Chart = {
    val data = series.zipWithIndex.map { case ((label, latencies), index) =>
      val classes = latencies.classes
      val edges = classes.map(_._1 / 1e6) ++ classes.lastOption.map(_._2 / 1e6)
      val shares = classes.map(_._3 * 100.0 / latencies.count)
      Scatter(Sequence.Doubles(edges), Sequence.Doubles(shares ++ shares.lastOption))
        .withName(label)
        .withMode(ScatterMode(ScatterMode.Lines))
        .withFill(Fill.ToZeroY)
        .withFillcolor(one(faded(index)))
        .withLine(Line().withColor(color(index)).withWidth(2.0).withDash(dashes(index % dashes.size)).withShape(LineShape.HV))
        .withHovertemplate(hover("from %{x} ms: %{y:.1f} %", label, series.size > 1))
    }
    val layout = Look
      .layout(title, 300, series.size > 1)
      .withXaxis(Look.axis("latency (ms, logarithmic)").withType(AxisType.Log))
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

  /** Bars and lines start at zero. */
  private val roomAbove = Seq("layout.yaxis.rangemode" -> Figure.encode("tozero"))

  /** Series differ by more than colour. */
  private val dashes = Vector(Dash.Solid, Dash.Dot, Dash.DashDot)

  private def color(index: Int): OneOrSeq[Color] = one(Look.series(index % Look.series.size))
  private def one(color: Color): OneOrSeq[Color] = OneOrSeq.One(color)

  private def faded(index: Int): Color = Look.series(index % Look.series.size) match {
    case c: Color.RGB => Color.RGBA(c.r, c.g, c.b, 0.2)
    case other        => other
  }

  private def category(name: String): String = Look.wrap(name, 18).map(Markup.escape).mkString("<br>")

  private def hover(template: String, label: String, several: Boolean): String =
    template + (if (several) s"<extra>${Markup.escape(label)}</extra>" else "<extra></extra>")

  private def show(value: Value): String = Say.number(value.value) + (if (value.error > 0) s" ± ${Say.number(value.error)}" else "")

  private def span(values: Seq[(Double, String)], what: String): String =
    if (values.isEmpty) "Nothing was measured."
    else {
      val (low, high) = (values.minBy(_._1), values.maxBy(_._1))
      if (low._1 == high._1) s"$what: ${Say.number(low._1)} everywhere."
      else s"$what: from ${Say.number(low._1)} (${low._2}) to ${Say.number(high._1)} (${high._2})."
    }
}

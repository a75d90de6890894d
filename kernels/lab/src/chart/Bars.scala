package lab.chart

import plotly.element.{AxisType, BarTextPosition, HoverInfo, Marker, OneOrSeq, Orientation, ScatterMode, TextPosition}
import plotly.layout.BarMode
import plotly.{Bar, Scatter, Sequence}

import lab.show.{Markup, Say, Table}

/** Draws [[Chart.groups]] and [[Chart.stacked]]. */
private[lab] object Bars {

  /** Draws upright bars, or horizontal ones if the names wouldn't fit next to each other. Numbers are written at the bars' ends, beyond the
    * error bars, unless they wouldn't fit.
    */
  def groups(title: String, x: String, y: String, series: Seq[(String, Seq[(String, BarValue)])]): Drawing = {
    val names = series.flatMap { case (_, values) => values.map(_._1) }.distinct
    val lying = !fits(names.map(name => lines(name).map(Look.width).max + 12))
    val side = Side(lying)
    val tops = for { (_, values) <- series; (_, value) <- values } yield value.value + value.error
    val numbers = for { (_, values) <- series; (_, value) <- values } yield Say.number(value.value)
    val labelled = lying || fits(numbers.map(text => Look.width(text) + 4))
    val data = series.zipWithIndex.map { case ((label, values), index) =>
      side
        .bar(values.map { case (name, value) => category(name) -> value.value })
        .withName(label)
        .withMarker(Marker().withColor(Drawing.color(index)).withLine(Look.edge))
        .withHovertemplate(Drawing.hover(s"%{${side.names}}: %{${side.values}}", label, series.size > 1))
    }
    val labels = series.map { case (_, values) =>
      side.ends(values.map { case (name, value) =>
        (category(name), value.value + value.error, if (labelled) Say.number(value.value) else "")
      })
    }
    val grouped = for {
      index <- series.indices; trace <- Seq(index, series.size + index); field <- Seq("offsetgroup", "legendgroup")
    } yield s"data.$trace.$field" -> index.toString
    val turned = series.indices.map(index => s"data.${series.size + index}.orientation" -> (if (lying) "h" else "v"))
    val lane = (series.size * 20 + 14).max(names.map(lines(_).size).maxOption.getOrElse(0) * Look.lineHeight)
    val height = if (lying) names.size * lane + 20 else 280
    val layout = side.layout(title, height, if (series.size > 1) series.map(_._1) else Nil, x, y, tops).withBarmode(BarMode.Group)
    val cells = names.map { name =>
      name +: series.map { case (_, values) => values.collectFirst { case (`name`, value) => show(value) }.getOrElse("–") }
    }
    val all =
      for { (label, values) <- series; (name, value) <- values } yield (value.value, if (series.size > 1) s"$label, $name" else name)
    val rest =
      side.rest(tops, if (labelled) numbers else Nil) ++ Seq("layout.scattermode" -> "group") ++ grouped ++ turned ++
        series.indices.flatMap(index => Drawing.hatched(index, index)) ++ errors(series, side)
    Drawing(title, Drawing.span(all, y), Table(y, x +: series.map(_._1), cells), data ++ labels, layout, rest)
  }

  /** Draws error bars twice, in two strokes: the broad one on the bar, and the narrow one on the invisible mark at its end. */
  private def errors(series: Seq[(String, Seq[(String, BarValue)])], side: Side): Seq[(String, Any)] =
    series.zipWithIndex.filter(_._1._2.exists(_._2.error > 0)).flatMap { case ((_, named), index) =>
      val values = named.map(_._2)
      Seq(
        side.error(index, values.map(_.error), values.map(_.down), Look.halo, 4.5, 5),
        side.error(series.size + index, values.map(_ => 0.0), values.map(value => value.error + value.down), Look.core, 1.5, 4)
      )
    }

  /** Draws one horizontal bar per name, its parts end to end, with the sum after the last part.
    *
    * @param hue the colour of the series for each part
    */
  def stacked(
      title: String,
      x: String,
      y: String,
      bars: Seq[(String, Seq[(String, Double)])],
      hue: Int => Int = identity
  ): Drawing = {
    bars.flatMap { case (name, parts) => parts.map(name -> _) }.find { case (_, (_, value)) => !(value >= 0) }.foreach {
      case (name, (part, value)) =>
        throw new IllegalArgumentException(
          s"'$part' of '$name' is $value: a part of a stacked bar must be 0 or more. For other values use Chart.groups."
        )
    }
    val side = Side(lying = true)
    val parts = bars.flatMap(_._2.map(_._1)).distinct
    def value(of: Seq[(String, Double)], part: String): Double = of.collect { case (`part`, value) => value }.sum
    val sums = bars.map(_._2.map(_._2).sum)
    val data = parts.zipWithIndex.map { case (part, index) =>
      val values = bars.map { case (name, of) => category(name) -> value(of, part) }
      side
        .bar(values)
        .withName(part)
        .withMarker(Marker().withColor(Drawing.color(hue(index))).withLine(Look.edge))
        .withText(values.map { case (_, value) => if (value > 0) Say.number(value) else "" })
        .withTextposition(BarTextPosition.Inside)
        .withHovertemplate(Drawing.hover(s"%{${side.names}}: %{${side.values}}", part, several = true))
    }
    val ends = side.ends(bars.zip(sums).map { case ((name, _), sum) => (category(name), sum, Say.number(sum)) })
    val layout = side.layout(title, bars.size * 40 + 20, parts, x, y, sums).withBarmode(BarMode.Stack)
    val cells = bars.zip(sums).map { case ((name, of), sum) => (name +: parts.map(part => Say.number(value(of, part)))) :+ Say.number(sum) }
    val inside = parts.indices.flatMap(index => Seq(s"data.$index.insidetextanchor" -> "middle", s"data.$index.textangle" -> 0))
    val words = Seq("layout.legend.traceorder" -> "normal", "layout.uniformtext" -> Figure.record("minsize" -> 11, "mode" -> "hide"))
    val summary = Drawing.span(sums.zip(bars.map(_._1)), y)
    Drawing(
      title,
      summary,
      Table(y, (x +: parts) :+ "all", cells),
      data :+ ends,
      layout,
      side.rest(sums, sums.map(Say.number)) ++ inside ++ words ++ parts.indices.flatMap(index => Drawing.hatched(index, index))
    )
  }

  /** The direction of bars: `values` is the axis along them, and `names` the axis across. */
  private final case class Side(lying: Boolean) {
    val (names, values) = if (lying) ("y", "x") else ("x", "y")

    def bar(of: Seq[(String, Double)]): Bar = {
      val (across, along) = (Sequence.Strings(of.map(_._1)), Sequence.Doubles(of.map(_._2)))
      if (lying) Bar(along, across).withOrientation(Orientation.Horizontal) else Bar(across, along)
    }

    /** Returns the words at the ends of bars, each given as name, end and word. An invisible mark keeps each word off its bar. */
    def ends(of: Seq[(String, Double, String)]): Scatter = {
      val (across, along) = (Sequence.Strings(of.map(_._1)), Sequence.Doubles(of.map(_._2)))
      val (marks, place) =
        if (lying) (Scatter(along, across), TextPosition.MiddleRight) else (Scatter(across, along), TextPosition.TopCenter)
      marks
        .withMode(ScatterMode(ScatterMode.Text, ScatterMode.Markers))
        .withMarker(Marker().withSize(10).withOpacity(OneOrSeq.One(0.0)))
        .withText(OneOrSeq.Sequence(of.map(_._3)))
        .withTextposition(place)
        .withHoverinfo(HoverInfo.Skip)
        .withShowlegend(false)
    }

    def error(
        trace: Int,
        plus: Seq[Double],
        minus: Seq[Double],
        color: plotly.element.Color,
        thickness: Double,
        width: Int
    ): (String, Any) = {
      val reach = Seq("type" -> "data", "visible" -> true, "array" -> plus, "symmetric" -> false, "arrayminus" -> minus)
      s"data.$trace.error_$values" -> Figure.record(reach ++ Seq("color" -> color, "thickness" -> thickness, "width" -> width): _*)
    }

    def layout(title: String, height: Int, legend: Seq[String], x: String, y: String, tops: Seq[Double]): plotly.layout.Layout = {
      val across = Look.axis(x).withShowgrid(false).withType(AxisType.Category)
      val along = Scale.linear(Look.axis(y), tops)
      val layout = Look.layout(title, height, legend)
      if (lying) layout.withXaxis(along).withYaxis(across) else layout.withXaxis(across).withYaxis(along)
    }

    /** Returns an axis along the bars that starts at zero and leaves room for the words at the ends. */
    def rest(tops: Seq[Double], written: Seq[String]): Seq[(String, Any)] = {
      val top = tops.maxOption.getOrElse(0.0)
      val room = if (lying) 1.03 + written.map(Look.width).maxOption.getOrElse(0.0) / (Look.plotWidth * 0.5) else 1.1
      val range =
        if (top > 0 && tops.forall(_ >= 0)) s"layout.${values}axis.range" -> Seq(0.0, top * room)
        else s"layout.${values}axis.rangemode" -> "tozero"
      Seq(range) ++ Scale.numbers(s"${values}axis", tops) ++ Option.when(lying)("layout.yaxis.autorange" -> "reversed")
    }
  }

  private def fits(widths: Seq[Double]): Boolean = widths.maxOption.getOrElse(0.0) * widths.size <= Look.plotWidth * 1.15

  private def lines(name: String): Vector[String] = Look.wrap(name, 18)
  private def category(name: String): String = lines(name).map(Markup.escape).mkString("<br>")
  private def show(value: BarValue): String = Say.number(value.value) + {
    if (value.error > 0 && value.below.isNaN) s" ± ${Say.number(value.error)}"
    else if (value.error > 0) s" (${Say.number(value.value - value.below)} to ${Say.number(value.value + value.error)})"
    else ""
  }
}

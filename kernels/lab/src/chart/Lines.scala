package lab.chart

import plotly.element.{Anchor, AxisReference, Dash, Element, Error, Fill, HoverInfo, Line, Marker, OneOrSeq, ScatterMode}
import plotly.layout.{Annotation, Axis, Layout, Ref, Shape}
import plotly.{Scatter, Sequence}

import lab.show.{Markup, Say, Table}

/** Draws [[Chart.lines]]. */
private[chart] object Lines {

  def apply(
      title: String,
      x: String,
      y: String,
      at: Seq[(String, Double)],
      logX: Boolean,
      logY: Boolean,
      series: Seq[(String, LinePoints)]
  ): Drawing = {
    val all = for { (label, line) <- series; (x, value) <- line.points } yield (x, value, label)
    val (xs, ys) = (all.map(_._1) ++ at.map(_._2), all.map(_._2))
    check(series, x, xs, logX, y, ys, logY)
    val leaders = series.collect { case (label, line) if line.like.isEmpty => label }
    val traces = series.flatMap { case (label, line) =>
      val index = leaders.indexOf(line.like.getOrElse(label))
      require(
        index >= 0,
        s"'$label' should look like '${line.like.mkString}', but there is no such line. There are ${leaders.mkString("'", "', '", "'")}"
      )
      draw(label, line, index, series.size)
    }
    val layout = marked(Look.layout(title, 300, Drawing.legend(series)), at, logX, all.map(_._1))
      .withXaxis(axis(x, all.map(_._1), logX))
      .withYaxis(axis(y, ys, logY))
    val look = Figure.record("color" -> Look.ink, "thickness" -> 1.5, "width" -> 4)
    val errors = traces.zipWithIndex.collect { case (trace, index) if trace.error_y.isDefined => s"data.$index.error_y" -> look }
    val numbers = (if (logX) Nil else Scale.numbers("xaxis", xs)) ++ (if (logY) Nil else Drawing.roomAbove ++ Scale.numbers("yaxis", ys))
    val cells = all.map(_._1).distinct.sorted.map { at =>
      Say.number(at) +: series.map { case (_, line) =>
        line.points.indices.collectFirst { case n if line.points(n)._1 == at => show(line, n) }.getOrElse("–")
      }
    }
    val summary = Drawing.span(all.map { case (x, value, label) => (value, s"$label at ${Say.number(x)}") }, y) +
      coincidences(series, logY) + at.map { case (word, x) => s" Marked: $word at ${Say.number(x)}." }.mkString
    Drawing(title, summary, Table(y, x +: series.map(_._1), cells), traces, layout, numbers ++ errors)
  }

  private def check(
      series: Seq[(String, LinePoints)],
      x: String,
      xs: Seq[Double],
      logX: Boolean,
      y: String,
      ys: Seq[Double],
      logY: Boolean
  ): Unit = {
    series.foreach { case (label, line) =>
      Seq("band" -> line.band, "errors" -> line.errors).foreach { case (what, entries) =>
        require(
          entries.isEmpty || entries.size == line.points.size,
          s"the $what of '$label' has ${entries.size} entries. Give one for each of its ${line.points.size} points."
        )
      }
    }
    if (logX) above(xs, x, "logX")
    if (logY) above(ys, y, "logY")
  }

  private def draw(label: String, line: LinePoints, index: Int, all: Int): Seq[Scatter] = {
    val (xs, ys) = line.points.unzip
    val band = Option.when(line.band.nonEmpty) {
      Scatter(Sequence.Doubles(xs ++ xs.reverse), Sequence.Doubles(line.band.map(_._1) ++ line.band.map(_._2).reverse))
        .withMode(ScatterMode(ScatterMode.Lines))
        .withFill(Fill.ToSelf)
        .withFillcolor(Drawing.faded(index))
        .withLine(Line().withWidth(0.0))
        .withHoverinfo(HoverInfo.Skip)
        .withShowlegend(false)
    }
    val modes = Seq(ScatterMode.Lines -> line.joined, ScatterMode.Markers -> line.marked).collect { case (mode, true) => mode }
    val drawn = Scatter(Sequence.Doubles(xs), Sequence.Doubles(ys))
      .withName(label)
      .withMode(ScatterMode(modes: _*))
      .withLine(Line().withColor(Drawing.color(index)).withWidth(2.5).withDash(Drawing.dash(index)))
      .withMarker(
        Marker().withColor(Drawing.color(index)).withSymbol(Drawing.symbol(index)).withSize(size(line, index, all)).withLine(Look.edge)
      )
      .withHovertemplate(Drawing.hover("%{x}: %{y}", label, all > 1))
    band.toSeq :+ (if (line.errors.exists(_ > 0)) drawn.withError_y(Error.Data(line.errors).withVisible(true)) else drawn)
  }

  /** Returns the size of a line's marks. Marks that no line joins get smaller with each series, so that marks below others stay visible. */
  private def size(line: LinePoints, index: Int, all: Int): Int = if (line.joined) 8 else (6 + 2 * (all - 1 - index)).min(14).max(6)

  /** Names the labels whose marks coincide: wherever both have marks, these are within a fiftieth of the picture's height of each other. */
  private def coincidences(series: Seq[(String, LinePoints)], logY: Boolean): String = {
    val height = (value: Double) => if (logY) math.log10(value) else value
    val marks = series.filter(_._2.marked).map { case (label, line) => label -> line.points.toMap.view.mapValues(height).toMap }
    val all = marks.flatMap(_._2.values)
    val near = all.maxOption.fold(0.0)(_ - all.min) / 50
    def alike(one: Map[Double, Double], other: Map[Double, Double]): Boolean = {
      val shared = one.keySet & other.keySet
      shared.sizeIs >= 3 && shared.forall(x => math.abs(one(x) - other(x)) <= near)
    }
    val groups = marks.foldLeft(Vector.empty[Vector[(String, Map[Double, Double])]]) { (groups, next) =>
      groups.indexWhere(group => alike(group.head._2, next._2)) match {
        case -1    => groups :+ Vector(next)
        case found => groups.updated(found, groups(found) :+ next)
      }
    }
    groups.filter(_.sizeIs > 1).map(group => s" ${Say.list(group.map(_._1))} coincide.").mkString
  }

  private def axis(title: String, values: Seq[Double], logarithmic: Boolean): Axis =
    if (logarithmic) Scale.logarithmic(Look.axis(s"$title, logarithmic"), values) else Scale.linear(Look.axis(title), values)

  /** Adds vertical lines with words. A word is at the top, on the right of its line, or on the left if it would reach beyond the plot. */
  private def marked(layout: Layout, at: Seq[(String, Double)], logX: Boolean, xs: Seq[Double]): Layout = if (at.isEmpty) layout
  else {
    val place = (x: Double) => if (logX) math.log10(x) else x
    val all = (xs ++ at.map(_._2)).map(place)
    def roomRight(x: Double): Double =
      if (all.max > all.min) Look.plotWidth * (all.max - place(x)) / (all.max - all.min) else Look.plotWidth
    val lines = at.map { case (_, x) =>
      Shape()
        .withType("line")
        .withXref("x")
        .withYref("paper")
        .withX0(x.toString)
        .withX1(x.toString)
        .withY0(0)
        .withY1(1)
        .withLine(Line().withColor(OneOrSeq.One(Look.ink)).withWidth(1.5).withDash(Dash.Dot))
    }
    val notes = at.map { case (word, x) =>
      Annotation()
        .withXref(Ref.Axis(AxisReference.X1))
        .withYref(Ref.Paper)
        .withX(Element.DoubleElement(place(x)))
        .withY(Element.DoubleElement(1))
        .withXanchor(if (Look.width(word) > roomRight(x)) Anchor.Right else Anchor.Left)
        .withYanchor(Anchor.Top)
        .withText(Element.StringElement(Markup.escape(word)))
        .withShowarrow(false)
    }
    layout.withShapes(lines).withAnnotations(notes)
  }

  private def show(line: LinePoints, n: Int): String =
    Say.number(line.points(n)._2) + line.errors.lift(n).filter(_ > 0).fold("")(error => s" ± ${Say.number(error)}")

  private def above(values: Seq[Double], axis: String, option: String): Unit = values.find(value => !(value > 0)).foreach { value =>
    throw new IllegalArgumentException(
      s"$value isn't above zero, so the logarithmic axis '$axis' can't show it. Leave it out, or leave out $option."
    )
  }
}

package lab.chart

import lab.chart.Drawing._
import lab.show.{Say, Table}

import plotly.element.{AxisType, Line, ScatterMode, TickMode}
import plotly.{Scatter, Sequence}

/** Draws [[Chart.percentiles]]. */
private[chart] object Curves {

  def percentiles(title: String, beside: Seq[Latencies], of: String, series: Seq[(String, Latencies)]): Drawing = {
    val curves = series.map { case (label, latencies) => label -> latencies.curve }
    val tops = (series.map(_._2) ++ beside).map(_.maxNanos).filter(_ > 0)
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
    val up = Look.axis(if (wide) s"$of ($unit, logarithmic)" else s"$of ($unit)")
    val heights = curves.flatMap(_._2.map { case (_, nanos) => nanos / size })
    val layout = Look.layout(title, 300, legend(series)).withXaxis(across).withYaxis(if (wide) Scale.logarithmic(up, heights) else up)
    Drawing(title, inWords(series), latencyTable(of, series), data, layout, if (wide) Nil else roomAbove ++ Scale.numbers("yaxis", heights))
  }

  /** Places 0 % at 1, 90 % at 10 and 99 % at 100. */
  private def nines(percent: Double): Double = 100 / (100 - percent)

  private val percentMarks =
    Seq(0.0 -> "0 %", 50.0 -> "50 %", 90.0 -> "90 %", 99.0 -> "99 %", 99.9 -> "99.9 %", 99.99 -> "99.99 %", 99.999 -> "99.999 %")

  private def inWords(series: Seq[(String, Latencies)]): String =
    series.map { case (label, latencies) => s"$label: $latencies." }.mkString(" ")

  private def latencyTable(of: String, series: Seq[(String, Latencies)]): Table = {
    val percents = Seq("p50" -> 50.0, "p90" -> 90.0, "p95" -> 95.0, "p99" -> 99.0, "p99.9" -> 99.9, "max" -> 100.0)
    Table(
      if (of == "latency") "Latencies" else of.capitalize,
      "run" +: "count" +: percents.map(_._1),
      series.map { case (label, latencies) =>
        label +: latencies.count.toString +: percents.map { case (_, percent) => Say.nanos(latencies.percentileNanos(percent)) }
      }
    )
  }
}

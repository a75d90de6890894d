package lab.chart

import plotly.Sequence
import plotly.element.{AxisType, TickMode}
import plotly.layout.Axis

import lab.show.Say

/** Axes whose ticks fit their values. */
private[lab] object Scale {

  /** Returns a linear axis for `values`. If all of them are whole, it has no ticks between whole numbers, because there are no half tasks.
    * It never uses `k` or `B`, and prefixes only from a million on.
    */
  def linear(axis: Axis, values: Seq[Double]): Axis = {
    val (low, high) = (values.minOption.getOrElse(0.0).min(0), values.maxOption.getOrElse(0.0))
    val whole = values.forall(value => value == math.rint(value))
    if (whole && high - low <= 12) axis.withDtick(if (high - low <= 6) 1.0 else 2.0) else axis
  }

  /** Returns how numbers are written at the ticks of `axis` ("yaxis"). */
  def numbers(axis: String, values: Seq[Double]): Seq[(String, Any)] = Seq(
    s"layout.$axis.separatethousands" -> true,
    s"layout.$axis.exponentformat" -> (if (values.exists(math.abs(_) >= 1e6)) "SI" else "none")
  )

  /** Returns a logarithmic axis for `values`, all above zero, with whole numbers at its ticks. If there are few values, they are the ticks.
    */
  def logarithmic(axis: Axis, values: Seq[Double]): Axis = {
    val few = values.distinct.sorted
    val ticks = if (few.sizeIs <= 12 && few.zip(few.drop(1)).forall { case (low, high) => high >= 1.4 * low }) few else logTicks(values)
    axis
      .withType(AxisType.Log)
      .withTickmode(TickMode.Array)
      .withTickvals(Sequence.Doubles(ticks))
      .withTicktext(Sequence.Strings(ticks.map(Say.number)))
  }

  /** Returns ticks for a logarithmic axis: decades, with 2 and 5 between them if they are few, and more if no decade is between the values.
    */
  def logTicks(values: Seq[Double]): Seq[Double] = values.filter(_ > 0) match {
    case Seq() => Nil
    case above =>
      val (low, high) = (above.min, above.max)
      val steps = if (high / low >= 1e4) Seq(1) else if (high / low >= 8) Seq(1, 2, 5) else Seq(10, 12, 15, 20, 25, 30, 40, 50, 60, 80)
      val first = math.floor(math.log10(low)).toInt - (if (steps.sizeIs > 3) 1 else 0)
      for { decade <- first to math.ceil(math.log10(high)).toInt; step <- steps } yield (BigDecimal(step) * BigDecimal(10).pow(
        decade
      )).toDouble
  }

  /** Returns the unit in which `nanos` are drawn, and its number of nanoseconds. */
  def timeUnit(nanos: Long, least: Double): (String, Double) =
    Seq("s" -> 1e9, "ms" -> 1e6).find { case (_, size) => nanos >= least * size }.getOrElse("µs" -> 1e3)
}

package lab.page

import lab.chart.Chart

import scala.util.Try

/** Takes a figure out of what a claim's row says was measured, with its bounds where it has some:
  *
  * {{{
  * row.measured match { case s"global / direct × \${Measured(times)} for short steps\$_" => times.value }   // "8.94 (7.32 to 10.9)"
  * }}}
  */
object Measured {

  /** Of `1,046`, or `8.94 (7.32 to 10.9)`: how far up and down the bounds are goes into the error bars. */
  def unapply(text: String): Option[Chart.Value] = text.trim match {
    case Alone(value) => number(value).map(Chart.Value(_))
    case Bounded(value, low, high) =>
      for { v <- number(value); l <- number(low); h <- number(high) if l <= v && v <= h } yield Chart.Value(v, error = h - v, below = v - l)
    case _ => None
  }

  private def number(text: String): Option[Double] = Try(text.replace(",", "").toDouble).toOption

  private val Digits = "[\\d,]*\\.?\\d+(?:E-?\\d+)?"
  private val Alone = s"($Digits)".r
  private val Bounded = s"($Digits) \\(($Digits) to ($Digits)\\)".r
}

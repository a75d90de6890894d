package lab.show

import java.math.{BigDecimal, MathContext}
import java.util.Locale

import scala.concurrent.duration.FiniteDuration

/** Words counts and times for titles and tables, in the course's style. */
object Say {

  /** Renders a count: "1 task", "3 tasks". Give the plural of words that don't just take an s. */
  def count(n: Int, one: String, many: String = ""): String = {
    val word = if (n == 1) one else if (many.isEmpty) s"${one}s" else many
    s"${grouped(n.toLong)} $word"
  }

  /** Joins words: "one", "one and two", "one, two and three". */
  def list(words: Seq[String]): String =
    if (words.sizeIs < 2) words.mkString else s"${words.init.mkString(", ")} and ${words.last}"

  /** Renders a time: "850 ns", "41 µs", "3.2 ms", "1.5 s". It has at least two digits, in the largest unit that gives a number from 1. */
  def nanos(nanos: Long): String = {
    val (unit, size) = Seq("s" -> 1e9, "ms" -> 1e6, "µs" -> 1e3).find { case (_, size) => math.abs(nanos) >= size }.getOrElse("ns" -> 1.0)
    s"${number(nanos / size)} $unit"
  }

  /** Renders a time like [[nanos]]. */
  def time(duration: FiniteDuration): String = nanos(duration.toNanos)

  /** Renders a number for a reader: whole from 10 on and with grouped thousands, from 1 on with one decimal if there is one, and below 1
    * with two digits: "0.95", "0.023", "4.0e-7".
    */
  def number(value: Double): String = {
    val (size, rounded) = (math.abs(value), math.round(value * 10) / 10.0)
    if (size > 0 && size < 0.995) {
      val digits = new BigDecimal(value).round(new MathContext(2))
      if (size < 1e-4) String.format(Locale.ROOT, "%.1e", digits).replaceFirst("e-0", "e-") else digits.stripTrailingZeros.toPlainString
    } else if (size >= 10 || rounded == math.rint(rounded)) grouped(math.round(value))
    else rounded.toString
  }

  private def grouped(n: Long): String = String.format(Locale.ROOT, "%,d", n)
}

package lab.results

import scala.language.implicitConversions

import com.google.gson.JsonObject

import lab.measure.Estimate
import lab.show.{Json, Say}

/** Something that a page found: a number, with its bounds if it has some, or a fact in words. Pages write pairs, which are converted to
  * measurements:
  *
  * {{{
  * Claim("C5.exceeded").measured("asleep simultaneously" -> usually, "threads of the pool" -> 50)
  * }}}
  *
  * @param name   what was measured, in a few words; code finds the measurement by them
  * @param value  the number, or the fact
  * @param spread the range of the numbers from several recorded runs
  */
final case class Measurement(name: String, value: Either[String, Estimate], spread: Option[Spread] = None) {

  /** Returns the number; `None` for a fact in words. */
  def estimate: Option[Estimate] = value.toOption

  /** Returns the fact in words; `None` for a number. */
  def fact: Option[String] = value.left.toOption

  override def toString: String = (if (name.isEmpty) "" else s"$name: ") + value.fold(identity, Measurement.shown(_, spread))

  private[lab] def json: JsonObject = value match {
    case Left(words) => Json.record("name" -> name, "value" -> words)
    case Right(Estimate(number, low, high, unit)) =>
      val bounds = if (low == high) Nil else Seq("low" -> low.max(-Measurement.most), "high" -> Measurement.kept(high))
      val runs = spread.toSeq.flatMap(all => Seq("least" -> all.least, "most" -> all.most, "runs" -> all.runs))
      Json.record((Seq("name" -> name, "value" -> number) ++ bounds ++ Option.when(unit.nonEmpty)("unit" -> unit) ++ runs): _*)
  }
}

object Measurement {

  /** No number in a record may be larger (`data/records.schema.json`). */
  private[lab] val most: Double = 1e12 - 1

  /** Returns what a record has for an upper bound: infinity, which is written as null, for one that is too large. Three runs that differ
    * much have such bounds.
    */
  private[lab] def kept(high: Double): Double = if (high <= most) high else Double.PositiveInfinity

  /** Builds a number without bounds, in `unit`. */
  def apply(name: String, value: Double, unit: String): Measurement = name -> Estimate.exactly(value, unit)

  implicit def ofInt(pair: (String, Int)): Measurement = ofDouble(pair._1 -> pair._2.toDouble)
  implicit def ofLong(pair: (String, Long)): Measurement = ofDouble(pair._1 -> pair._2.toDouble)
  implicit def ofDouble(pair: (String, Double)): Measurement = pair._1 -> Estimate.exactly(pair._2)
  implicit def ofEstimate(pair: (String, Estimate)): Measurement = Measurement(pair._1, Right(pair._2))
  implicit def ofText(pair: (String, String)): Measurement = Measurement(pair._1, Left(pair._2))

  /** Converts a truth value to "yes" or "no". */
  implicit def ofBoolean(pair: (String, Boolean)): Measurement = Measurement(pair._1, Left(if (pair._2) "yes" else "no"))

  /** Renders a number. A whole number without bounds was counted, and needs no decimals. */
  private def shown(number: Estimate, spread: Option[Spread]): String = {
    val counted = number.low == number.high && number.value.isWhole
    number.shown(if (counted) Say.number else Estimate.digits, spread.fold("")(_.shown(counted)))
  }

  /** Renders measurements as a panel or a table shows them. */
  private[lab] def shown(all: Seq[Measurement]): String = if (all.isEmpty) "–" else all.mkString("; ")

  /** Reads a measurement.
    *
    * @throws java.lang.RuntimeException if `json` is none
    */
  private[lab] def of(json: JsonObject): Measurement = {
    val (name, value) = (json.get("name").getAsString, json.get("value").getAsJsonPrimitive)
    if (value.isString) Measurement(name, Left(value.getAsString))
    else {
      val number = value.getAsDouble
      def bound(field: String): Double =
        if (!json.has(field)) number else if (json.get(field).isJsonNull) Double.PositiveInfinity else json.get(field).getAsDouble
      val estimate = Estimate(number, bound("low"), bound("high"), Option(json.get("unit")).fold("")(_.getAsString))
      val spread = Option.when(json.has("runs"))(
        Spread(json.get("least").getAsDouble, json.get("most").getAsDouble, json.get("runs").getAsInt)
      )
      Measurement(name, Right(estimate), spread)
    }
  }
}

/** The range of the numbers from several runs of a page. Each run is a new JVM, and the interval of one run knows nothing about the others.
  */
final case class Spread(least: Double, most: Double, runs: Int) {
  private[results] def shown(counted: Boolean): String = {
    val digits: Double => String = if (counted && least.isWhole && most.isWhole) Say.number else Estimate.digits
    if (digits(least) == digits(most)) s"the same in $runs runs" else s"in $runs runs ${digits(least)} to ${digits(most)}"
  }
}

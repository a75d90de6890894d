package lab.chart

import com.google.gson.{JsonArray, JsonElement, JsonObject}
import plotly.element._
import plotly.layout._
import plotly.{Config, Range, Sequence}

import lab.show.Json

import scala.collection.immutable.VectorMap
import scala.jdk.CollectionConverters._

/** A Plotly figure. */
final class Figure private (whole: JsonObject) {

  /** Returns `{data, layout, config}`, and `frames` if something moves, in the form of the MIME type `application/vnd.plotly.v1+json`. */
  def json: String = whole.toString

  private[lab] def traces: Vector[JsonObject] = whole.getAsJsonArray("data").asScala.map(_.getAsJsonObject.deepCopy).toVector
  private[lab] def layout: JsonObject = whole.getAsJsonObject("layout").deepCopy
}

object Figure {

  /** Creates a figure from plotly-scala's typed model.
    *
    * @param more values for which the model has no field, as `path -> value` into the JSON: `"layout.uniformtext.mode" -> "hide"`. The
    *             fields of a record are added to the existing ones. A path under `data` applies to every trace, and one under `data.2` to
    *             the third
    */
  def apply(data: Seq[plotly.Trace], layout: Layout, config: Config, more: Seq[(String, Any)] = Nil): Figure =
    of(data.map(encode(_).getAsJsonObject), encode(layout).getAsJsonObject, config, more)

  /** Creates a figure from parts of others. */
  private[lab] def of(data: Seq[JsonObject], layout: JsonObject, config: Config, more: Seq[(String, Any)]): Figure = {
    val whole = record("data" -> data, "layout" -> layout, "config" -> config)
    more.foreach { case (path, value) => put(whole, path.split('.').toList, encode(value)) }
    new Figure(whole)
  }

  /** Creates an object with these fields, for values that the model doesn't have. */
  private[lab] def record(fields: (String, Any)*): JsonObject = encode(fields.to(VectorMap)).getAsJsonObject

  /** Returns the JSON of any value of the typed model. A record becomes an object without its empty fields, and a number that isn't finite
    * becomes `null`, which Plotly draws as a gap.
    *
    * @throws java.lang.IllegalArgumentException if the model doesn't have the type
    */
  def encode(value: Any): JsonElement = Json.of(value, model)

  private val model: PartialFunction[Any, Any] = {
    case OneOrSeq.One(one)                   => one
    case OneOrSeq.Sequence(several)          => several
    case Sequence.Doubles(several)           => several
    case Sequence.NestedDoubles(several)     => several
    case Sequence.NestedInts(several)        => several
    case Sequence.Strings(several)           => several
    case Sequence.DateTimes(several)         => several.map(_.toString)
    case Range.Doubles(range)                => range
    case Range.DateTimes((from, until))      => (from.toString, until.toString)
    case Element.DoubleElement(number)       => number
    case Element.StringElement(text)         => text
    case mode: ScatterMode                   => mode.flags.toSeq.map(_.label).sorted.mkString("+")
    case color: Color                        => css(color)
    case label if labelOf.isDefinedAt(label) => labelOf(label)
    case axis: Axis                          => titled(fieldsOf(axis), axis.titlefont)
    case layout: Layout                      => titled(fieldsOf(layout), None)
    case error: Error                        => fieldsOf(error, "type" -> error.`type`)
    case trace: plotly.Trace                 => fieldsOf(trace, "type" -> trace.productPrefix.toLowerCase)
    case other: Product                      => fieldsOf(other)
  }

  private def fieldsOf(value: Product, more: (String, Any)*): JsonObject =
    record(more ++ value.productElementNames.zip(value.productIterator).collect {
      case (name, Some(field))            => name -> field
      case (name, field) if field != None => name -> field
    }: _*)

  /** Turns titles into objects, as Plotly.js 3 wants them. The model still has them as strings. */
  private def titled(json: JsonObject, font: Option[Font]): JsonObject = {
    Option(json.remove("title")).foreach { text =>
      put(json, List("title", "text"), text)
      font.foreach(f => put(json, List("title", "font"), encode(f)))
    }
    json.remove("titlefont")
    json
  }

  /** Returns the label of one of the model's enumerations. Each of them is a separate sealed class with a `label`. */
  private val labelOf: PartialFunction[Any, String] = {
    case e: Anchor          => e.label
    case e: Ref             => e.label
    case e: AxisAnchor      => e.label
    case e: AxisReference   => e.label
    case e: AxisType        => e.label
    case e: BarMode         => e.label
    case e: BarTextPosition => e.label
    case e: Dash            => e.label
    case e: Fill            => e.label
    case e: HoverInfo       => e.label
    case e: HoverMode       => e.label
    case e: HoverOn         => e.label
    case e: LineShape       => e.label
    case e: Orientation     => e.label
    case e: Side            => e.label
    case e: Symbol          => e.label
    case e: TextPosition    => e.label
    case e: TickMode        => e.mode
    case e: Ticks           => e.label
    case e: TraceOrder      => e.label
  }

  private def css(color: Color): String = color match {
    case c: Color.RGBA        => s"rgba(${c.r},${c.g},${c.b},${c.alpha})"
    case c: Color.RGB         => s"rgb(${c.r},${c.g},${c.b})"
    case c: Color.HSL         => s"hsl(${c.h},${c.s}%,${c.l}%)"
    case c: Color.StringColor => c.color
  }

  private[lab] def put(json: JsonObject, path: List[String], value: JsonElement): Unit = path match {
    case Nil => ()
    case last :: Nil =>
      (json.get(last), value) match {
        case (old: JsonObject, added: JsonObject) => added.asMap.forEach((name, field) => old.add(name, field))
        case _                                    => json.add(last, value)
      }
    case first :: rest =>
      if (!json.has(first)) json.add(first, new JsonObject)
      json.get(first) match {
        case several: JsonArray if rest.head.forall(_.isDigit) => put(several.get(rest.head.toInt).getAsJsonObject, rest.tail, value)
        case several: JsonArray                                => several.asScala.foreach(one => put(one.getAsJsonObject, rest, value))
        case one                                               => put(one.getAsJsonObject, rest, value)
      }
  }
}

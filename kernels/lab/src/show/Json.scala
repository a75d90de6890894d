package lab.show

import com.google.gson.{JsonArray, JsonElement, JsonNull, JsonObject, JsonPrimitive}

import scala.jdk.CollectionConverters._

/** Builds Gson's trees from Scala values. */
private[lab] object Json {

  /** Builds an object of these fields, in their order. */
  def record(fields: (String, Any)*): JsonObject = of(fields.to(scala.collection.immutable.VectorMap)).getAsJsonObject

  /** Converts `value` to JSON. A map becomes an object. A number that isn't finite becomes `null`, because JSON has no word for it.
    *
    * @param known converts any value that isn't text, truth, number, tree, map, option, pair or collection
    * @throws java.lang.IllegalArgumentException for anything that `known` doesn't know
    */
  def of(value: Any, known: PartialFunction[Any, Any] = PartialFunction.empty): JsonElement = value match {
    case json: JsonElement                                   => json
    case text: String                                        => new JsonPrimitive(text)
    case flag: Boolean                                       => new JsonPrimitive(flag)
    case number: Double if number.isNaN || number.isInfinite => JsonNull.INSTANCE
    case number: Number                                      => new JsonPrimitive(number)
    case fields: Map[_, _] =>
      val json = new JsonObject
      fields.foreach { case (name, field) => json.add(s"$name", of(field, known)) }
      json
    case several: Iterable[_] =>
      val all = new JsonArray(several.size)
      several.foreach(one => all.add(of(one, known)))
      all
    case (one, other)                      => of(Seq(one, other), known)
    case other if known.isDefinedAt(other) => of(known(other), known)
    case other                             => throw new IllegalArgumentException(s"no JSON for $other (${other.getClass.getName})")
  }

  private def numberOf(number: java.math.BigDecimal): Any =
    if (number.stripTrailingZeros.scale <= 0) number.longValue else number.doubleValue

  /** Returns an object's numbers and texts, by their names. */
  def facts(json: JsonObject): Map[String, Any] = json.entrySet.asScala.map { field =>
    val fact = field.getValue.getAsJsonPrimitive
    field.getKey -> (if (fact.isNumber) numberOf(fact.getAsBigDecimal) else fact.getAsString)
  }.toMap

  /** Returns the texts of an object's fields, by their names. */
  def texts(json: JsonObject): Map[String, String] = json.entrySet.asScala.map(field => field.getKey -> field.getValue.getAsString).toMap
}

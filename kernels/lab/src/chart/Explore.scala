package lab.chart

import com.google.gson.{JsonArray, JsonElement, JsonObject, JsonPrimitive}

import lab.show.Say

import scala.jdk.CollectionConverters._

/** Draws [[Chart.explore]]. */
private[chart] object Explore {

  /** Draws `values`, each of which has a name, a finding and a picture. */
  def apply(title: String, parameter: String, unit: String, values: Seq[(String, String, Figure)]): Figure = {
    require(values.sizeIs >= 2, s"a slider over '$parameter' needs at least two values; there are ${values.size}")
    val names = values.map(_._1)
    require(names.distinct.sizeIs == names.size, s"two values of '$parameter' have the same name: ${names.mkString(", ")}")
    val traces = aligned(values.map(_._3.traces))
    val layouts = values.map(_._3.layout)
    titled(title, values.map(_._2), layouts)
    onePlace(layouts)
    oneHeight(layouts)
    oneMargin(layouts, traces)
    oneScale(layouts, traces)
    Frames(names, traces, layouts).figure(s"$parameter: ", if (unit.isEmpty) "" else s" $unit", 0, None)
  }

  /** Gives every picture the same traces. If a picture doesn't have a trace of another one, it gets that trace without points. */
  private def aligned(pictures: Seq[Vector[JsonObject]]): Seq[Vector[JsonObject]] = {
    def key(trace: JsonObject) = Seq("type", "name", "xaxis", "mode").map(field => Option(trace.get(field)))
    val keyed = pictures.map { traces =>
      traces.zipWithIndex.map { case (trace, index) => (key(trace), traces.take(index).count(key(_) == key(trace))) -> trace }
    }
    val all = keyed.flatten.distinctBy(_._1)
    keyed.map(own => all.map { case (key, any) => own.collectFirst { case (`key`, trace) => trace }.getOrElse(emptied(any)) }.toVector)
  }

  private def emptied(trace: JsonObject): JsonObject = {
    val empty = new JsonObject
    trace.entrySet.asScala.foreach { field =>
      val value: JsonElement = field.getValue match {
        case _: JsonArray      => new JsonArray
        case inner: JsonObject => emptied(inner)
        case other             => other
      }
      empty.add(field.getKey, value)
    }
    empty
  }

  /** Puts the finding of all pictures in the title, and below it the finding of each picture. */
  private def titled(title: String, findings: Seq[String], layouts: Seq[JsonObject]): Unit = {
    val (own, lines) = (Look.titleLines(title), findings.map(Look.balanced(_, Look.headingWidth)))
    val most = lines.map(_.size).max
    layouts.zip(lines).foreach { case (layout, finding) =>
      val before = layout.getAsJsonObject("title").get("text").getAsString.split("<br>").length
      val text = s"""${Look.code(own)}<br><span style="font-size:13px">${Look.code(finding)}</span>"""
      Figure.put(layout, List("title", "text"), Figure.encode(text))
      val more = Look.lineHeight * (own.size - before) + Look.headingHeight * most + 4
      Seq(layout -> "height", layout.getAsJsonObject("margin") -> "t").foreach { case (json, field) =>
        json.addProperty(field, json.get(field).getAsInt + more)
      }
    }
  }

  /** Gives each panel the same place in all pictures, with the room that it needs in any of them. Otherwise Plotly cuts off what a panel
    * gains in height while a picture changes.
    */
  private def onePlace(layouts: Seq[JsonObject]): Unit = {
    def names(layout: JsonObject) = layout.keySet.asScala.filter(name => name.matches("yaxis\\d*") && domain(layout, name).isDefined).toSet
    val panels = layouts.map(names).reduce(_ & _).toVector.sortBy(name => -domain(layouts.head, name).get._2)
    if (panels.sizeIs >= 2 && layouts.forall(names(_) == panels.toSet)) {
      def pixels(layout: JsonObject) = plotHeight(layout).toDouble
      // From the top: the room above each panel, then the panel itself.
      val rooms = layouts.map { layout =>
        val places = panels.map(name => domain(layout, name).get)
        val above = 1.0 +: places.map(_._1)
        places.zip(above).map { case ((from, until), last) => (last - until, until - from) }.flatMap { case (a, b) =>
          Seq(a * pixels(layout), b * pixels(layout))
        } :+ places.last._1 * pixels(layout)
      }
      val room = rooms.transpose.map(_.max)
      val ends = room.scanLeft(0.0)(_ + _).map(1 - _ / room.sum)
      layouts.foreach { layout =>
        layout.addProperty("height", layout.get("height").getAsInt - plotHeight(layout) + room.sum.round.toInt)
        for ((name, index) <- panels.zipWithIndex) {
          val before = domain(layout, name).get._2
          val (from, until) = (ends(2 * index + 2).max(0), ends(2 * index + 1))
          onPaper(layout).filter(heading => math.abs(heading.get("y").getAsDouble - before) < 1e-9).foreach(_.addProperty("y", until))
          layout.getAsJsonObject(name).add("domain", Figure.encode(Seq(from, until)))
        }
      }
    }
  }

  private def domain(layout: JsonObject, axis: String): Option[(Double, Double)] =
    Option(layout.getAsJsonObject(axis).getAsJsonArray("domain")).map(ends => (ends.get(0).getAsDouble, ends.get(1).getAsDouble))

  private def onPaper(layout: JsonObject): Seq[JsonObject] =
    Option(layout.getAsJsonArray("annotations"))
      .fold(Seq.empty[JsonElement])(_.asScala.toSeq)
      .map(_.getAsJsonObject)
      .filter(one => one.get("yref").getAsString == "paper")

  private def plotHeight(layout: JsonObject): Int = layout.get("height").getAsInt - margin(layout, "t") - margin(layout, "b")

  private def margin(layout: JsonObject, side: String): Int = layout.getAsJsonObject("margin").get(side).getAsInt

  /** Gives all pictures the room that any of them needs, so that the picture doesn't jump. */
  private def oneHeight(layouts: Seq[JsonObject]): Unit = {
    val plot = layouts.map(plotHeight).max
    val (top, bottom) = (layouts.map(margin(_, "t")).max, layouts.map(margin(_, "b")).max)
    layouts.foreach { layout =>
      layout.getAsJsonObject("margin").addProperty("t", top)
      layout.getAsJsonObject("margin").addProperty("b", bottom)
      layout.addProperty("height", top + plot + bottom)
      layout.addProperty("showlegend", layouts.exists(one => one.has("showlegend") && one.get("showlegend").getAsBoolean))
    }
  }

  /** Gives all pictures the widest margin that any of them needs. Plotly widens a margin for names that don't fit, but doesn't move what is
    * already drawn.
    */
  private def oneMargin(layouts: Seq[JsonObject], traces: Seq[Vector[JsonObject]]): Unit = {
    def words(json: JsonObject, field: String): Seq[String] = primitives(json, field).filter(_.isString).map(_.getAsString)
    val axes = layouts.flatMap(layout => layout.keySet.asScala.filter(_.matches("yaxis\\d*")).map(layout.getAsJsonObject))
    val names = axes.flatMap(words(_, "ticktext")) ++ traces.flatten.flatMap(words(_, "y"))
    val widest = names.flatMap(_.split("<br>")).map(Look.width).maxOption.getOrElse(0.0)
    val left = (layouts.map(margin(_, "l")) :+ (widest + Look.besideNames).toInt).max
    axes.foreach(_.addProperty("automargin", false))
    layouts.foreach(_.getAsJsonObject("margin").addProperty("l", left))
  }

  /** Gives every axis the same scale in all pictures. If an axis has several titles, its units differ, and each picture keeps its own
    * scale.
    */
  private def oneScale(layouts: Seq[JsonObject], traces: Seq[Vector[JsonObject]]): Unit = {
    val names = layouts.flatMap(_.keySet.asScala).distinct.filter(_.matches("[xy]axis\\d*"))
    for (name <- names) {
      val axes = layouts.flatMap(layout => Option(layout.getAsJsonObject(name)))
      val titles = axes.map(axis => Option(axis.get("title"))).distinct
      val kind = axes.flatMap(axis => Option(axis.get("type"))).headOption.fold("linear")(_.getAsString)
      if (axes.size == layouts.size && titles.sizeIs == 1 && kind != "category") {
        val own = name.take(1) + name.drop(5)
        val values = traces.flatten.filter(on(_, own)).flatMap(extent(_, name.take(1))).map(v => if (kind == "log") math.log10(v) else v)
        val fixed = axes.flatMap(axis => Option(axis.getAsJsonArray("range"))).map(range => range.asScala.map(_.getAsDouble).toSeq)
        val range =
          if (fixed.size == axes.size) Some(if (fixed.head.head <= fixed.head.last) hull(fixed.flatten) else hull(fixed.flatten).reverse)
          else Option.when(values.nonEmpty)(roomy(values, kind == "log", axes.head))
        range.foreach(found => axes.foreach(_.add("range", Figure.encode(found))))
        val steps = axes.map(axis => Option(axis.remove("dtick")).map(_.getAsDouble))
        if (steps.forall(_.isDefined)) axes.foreach(_.add("dtick", Figure.encode(steps.flatten.max)))
        if (kind == "log") sameTicks(axes, values.map(math.pow(10, _)))
      }
    }
  }

  private def on(trace: JsonObject, axis: String): Boolean =
    Option(trace.get(s"${axis.take(1)}axis")).fold(axis.take(1))(_.getAsString) == axis

  /** Returns the numbers of a trace along an axis, the ends of its bars, and how far its error bars reach. */
  private def extent(trace: JsonObject, letter: String): Seq[Double] = {
    def numbers(json: JsonObject, field: String): Seq[Double] = primitives(json, field).filter(_.isNumber).map(_.getAsDouble)
    val (ends, base) = (numbers(trace, letter), numbers(trace, "base"))
    val lying = Option(trace.get("orientation")).exists(_.getAsString == "h")
    val along = trace.get("type").getAsString == "bar" && lying == (letter == "x")
    val errors = Option(trace.getAsJsonObject(s"error_$letter")).fold(Seq.empty[Double])(numbers(_, "array"))
    val high = if (along) base.zipAll(ends, 0.0, 0.0).map { case (from, length) => from + length }
    else ends
    high ++ (if (along) base :+ 0.0 else Nil) ++ high.zip(errors).flatMap { case (value, error) => Seq(value - error, value + error) }
  }

  /** Returns the entries of the list with that name; none if there is no such list. */
  private def primitives(json: JsonObject, field: String): Seq[JsonPrimitive] =
    Option(json.get(field)).toSeq.collect { case array: JsonArray => array.asScala }.flatten.collect { case one: JsonPrimitive => one }

  private def hull(values: Seq[Double]): Seq[Double] = Seq(values.min, values.max)

  private def roomy(values: Seq[Double], logarithmic: Boolean, axis: JsonObject): Seq[Double] = {
    val toZero = Option(axis.get("rangemode")).exists(_.getAsString == "tozero")
    val (low, high) = (if (toZero) values.min.min(0) else values.min, values.max)
    val room = if (high > low) (high - low) * 0.05 else 0.5
    Seq(if (!logarithmic && low == 0) 0 else low - room, high + room)
  }

  private def sameTicks(axes: Seq[JsonObject], values: Seq[Double]): Unit = {
    def ticks(axis: JsonObject) = Option(axis.getAsJsonArray("tickvals")).fold(Set.empty[Double])(_.asScala.map(_.getAsDouble).toSet)
    val all = axes.map(ticks).reduce(_ | _)
    axes.find(ticks(_) == all) match {
      case Some(whole) => Seq("tickvals", "ticktext").foreach(field => axes.foreach(_.add(field, whole.get(field))))
      case None =>
        val chosen = Scale.logTicks(values)
        axes.foreach { axis =>
          axis.add("tickvals", Figure.encode(chosen))
          axis.add("ticktext", Figure.encode(chosen.map(Say.number)))
        }
    }
  }
}

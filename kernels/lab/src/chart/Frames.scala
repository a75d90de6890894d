package lab.chart

import com.google.gson.{JsonElement, JsonNull, JsonObject}

import scala.jdk.CollectionConverters._

/** Combines pictures in one figure, with Plotly's frames, a slider that selects a frame, and buttons that play them. Each frame only has
  * the values that differ between the pictures.
  *
  * @param traces the traces of each picture. All pictures have the same number of traces
  */
private[lab] final case class Frames(names: Seq[String], traces: Seq[Seq[JsonObject]], layouts: Seq[JsonObject]) {

  /** Returns one figure, with the slider below the picture.
    *
    * @param before  the text before the name of the frame
    * @param after   the text after it
    * @param shown   the number of the first visible frame
    * @param playing how many milliseconds each frame is visible when they are played; `None` for no buttons
    */
  def figure(before: String, after: String, shown: Int, playing: Option[Int]): Figure = {
    val data = traces.transpose.map(Frames.differences)
    val layout = Frames.differences(layouts)
    val frames = names.indices.map { frame =>
      val changed = data.zipWithIndex.flatMap { case (trace, index) => trace(frame).map(index -> _) }
      val fields = Seq("name" -> frame.toString, "data" -> changed.map(_._2), "traces" -> changed.map(_._1))
      Figure.record(fields ++ layout(frame).map("layout" -> _): _*)
    }
    val whole = layouts(shown).deepCopy
    val steps = names.zipWithIndex.map { case (name, frame) =>
      Figure.record("label" -> name, "method" -> "animate", "args" -> Seq(Figure.encode(Seq(frame.toString)), Frames.now))
    }
    val margin = whole.getAsJsonObject("margin")
    val more = Frames.sliderHeight + (if (playing.isDefined) Frames.buttonsHeight else 0)
    val below = margin.get("b").getAsInt
    whole.addProperty("height", whole.get("height").getAsInt + more)
    margin.addProperty("b", below + more)
    // The last label is centred at the slider's end, so half of it needs room.
    margin.addProperty("r", margin.get("r").getAsInt.max((Look.width(names.last) / 2).toInt))
    whole.add("sliders", Figure.encode(Seq(Frames.slider(before, after, shown, steps, below))))
    playing.foreach(millis => whole.add("updatemenus", Figure.encode(Seq(Frames.buttons(millis, below + Frames.sliderHeight)))))
    Figure.of(traces(shown), whole, Look.config, Look.more :+ ("frames" -> frames))
  }
}

private[lab] object Frames {
  private val (sliderHeight, buttonsHeight) = (74, 44)

  private val now = Figure.record(
    "mode" -> "immediate",
    "frame" -> Figure.record("duration" -> 0, "redraw" -> true),
    "transition" -> Figure.record("duration" -> 0)
  )

  private def slider(before: String, after: String, shown: Int, steps: Seq[JsonObject], down: Int): JsonObject = Figure.record(
    "active" -> shown,
    "steps" -> steps,
    "x" -> 0.0,
    "y" -> 0.0,
    "len" -> 1.0,
    "xanchor" -> "left",
    "yanchor" -> "top",
    "pad" -> Figure.record("t" -> down, "b" -> 0, "l" -> 0, "r" -> 0),
    "currentvalue" -> Figure
      .record("prefix" -> before, "suffix" -> after, "offset" -> 8, "font" -> Figure.record("size" -> 14, "color" -> Look.ink)),
    "font" -> Figure.record("size" -> 11, "color" -> Look.ink),
    "bgcolor" -> Look.running,
    "activebgcolor" -> Look.story,
    "bordercolor" -> Look.ink,
    "tickcolor" -> Look.ink,
    "ticklen" -> 5,
    "transition" -> Figure.record("duration" -> 0)
  )

  private def buttons(millis: Int, down: Int): JsonObject = {
    val on = Figure.record(
      "mode" -> "immediate",
      "fromcurrent" -> true,
      "frame" -> Figure.record("duration" -> millis, "redraw" -> true),
      "transition" -> Figure.record("duration" -> 0)
    )
    def button(label: String, frames: JsonElement, how: JsonObject): JsonObject =
      Figure.record("label" -> label, "method" -> "animate", "args" -> Seq(frames, how))
    Figure.record(
      "type" -> "buttons",
      "direction" -> "left",
      "showactive" -> false,
      "buttons" -> Seq(button("▶ play", JsonNull.INSTANCE, on), button("❚❚ pause", Figure.encode(Seq(JsonNull.INSTANCE)), now)),
      "x" -> 0.0,
      "y" -> 0.0,
      "xanchor" -> "left",
      "yanchor" -> "top",
      "pad" -> Figure.record("t" -> down, "b" -> 0, "l" -> 0, "r" -> 0),
      "font" -> Figure.record("color" -> Look.ink),
      "bgcolor" -> "rgba(0,0,0,0)",
      "bordercolor" -> Look.ink
    )
  }

  /** Returns for each object the fields that differ between the objects; `None` for all if they are equal. If an object lacks such a field,
    * the field is `null`, so that a frame doesn't keep the previous frame's value.
    */
  def differences(all: Seq[JsonObject]): Seq[Option[JsonObject]] = {
    val names = all.flatMap(_.keySet.asScala).distinct
    val parts = names.map { name =>
      val values = all.map(one => Option(one.get(name)))
      if (values.distinct.sizeIs == 1) all.map(_ => None)
      else if (values.forall(_.exists(_.isJsonObject))) differences(values.flatten.map(_.getAsJsonObject)).map(_.map(name -> _))
      else values.map(value => Some(name -> value.getOrElse(JsonNull.INSTANCE)))
    }
    all.indices.map { index =>
      val fields = parts.flatMap(_(index))
      Option.when(fields.nonEmpty)(Figure.record(fields: _*))
    }
  }
}

package lab.chart

import com.google.gson.{JsonArray, JsonElement, JsonObject}

import scala.jdk.CollectionConverters._

/** Draws [[Chart.panels]] from independent figures: it renames their axes and divides the space. */
private[chart] object Panels {

  /** Draws `panels`, each of which has a heading and a figure. */
  def apply(title: String, oneTimeAxis: Boolean, panels: Seq[(String, Figure)]): Figure = {
    require(panels.nonEmpty, "there is no panel: give at least one chart")
    val all = panels.zipWithIndex.map { case ((words, figure), index) =>
      new Panel(words, figure, index, labelled = !oneTimeAxis || index == panels.size - 1)
    }
    val modes = all.flatMap(panel => Option(panel.layout.get("barmode"))).distinct
    require(
      modes.sizeIs <= 1,
      s"bars can't be drawn in different ways in one picture: ${modes.mkString(", ")}. Show the charts one by one."
    )
    val height = all.map(_.height).sum - Look.footHeight
    val names = all.flatMap(_.legend).distinct
    val layout = Figure.encode(Look.layout(title, height, names)).getAsJsonObject
    Seq("barmode", "uniformtext", "scattermode").foreach { field =>
      all.flatMap(panel => Option(panel.layout.get(field))).headOption.foreach(layout.add(field, _))
    }
    val tops = all.scanLeft(0)(_ + _.height)
    val drawn = all.zip(tops).map { case (panel, top) =>
      def domain(pixels: Int): Double = 1 - pixels.toDouble / height
      val (from, until) = (domain(top + panel.head + panel.plot).max(0), domain(top + panel.head))
      panel.axes(from, until, oneTimeAxis).foreach { case (name, axis) => layout.add(name, axis) }
      (panel.heading(until) +: panel.moved("annotations"), panel.moved("shapes"))
    }
    layout.add("annotations", Figure.encode(drawn.flatMap(_._1)))
    layout.add("shapes", Figure.encode(drawn.flatMap(_._2)))
    val traces = all.flatMap(_.traces)
    // If several traces have the same name, the legend shows only the first one, for all of them.
    traces.filter(shown).groupBy(_.get("name").getAsString).values.foreach(_.drop(1).foreach(_.addProperty("showlegend", false)))
    Figure.of(traces, layout, Look.config, Look.more)
  }

  private def shown(trace: JsonObject): Boolean = trace.has("name") && (!trace.has("showlegend") || trace.get("showlegend").getAsBoolean)

  private final class Panel(words: String, figure: Figure, index: Int, labelled: Boolean) {
    val layout: JsonObject = figure.layout
    private val number = if (index == 0) "" else (index + 1).toString
    private val margin = layout.getAsJsonObject("margin")
    private val lines = Look.balanced(words, Look.headingWidth)

    /** The height in pixels of the heading, the plot, and the whole panel. */
    val head: Int = 10 + Look.headingHeight * lines.size
    val plot: Int = layout.get("height").getAsInt - margin.get("t").getAsInt - margin.get("b").getAsInt
    val height: Int = head + plot + (if (labelled) Look.footHeight else 8)

    val traces: Vector[JsonObject] = figure.traces.map { trace =>
      trace.addProperty("xaxis", s"x$number")
      trace.addProperty("yaxis", s"y$number")
      if (layout.has("showlegend") && !layout.get("showlegend").getAsBoolean) trace.addProperty("showlegend", false)
      // Groups within a chart have numbers, which are different ones in each chart.
      if (trace.has("legendgroup")) trace.addProperty("legendgroup", s"${index + 1}/${trace.get("legendgroup").getAsString}")
      else if (shown(trace)) trace.add("legendgroup", trace.get("name"))
      trace
    }

    def legend: Vector[String] = traces.filter(shown).map(_.get("name").getAsString)

    def axes(from: Double, until: Double, oneTimeAxis: Boolean): Seq[(String, JsonObject)] = {
      val (x, y) = (axis("xaxis"), axis("yaxis"))
      x.addProperty("anchor", s"y$number")
      y.addProperty("anchor", s"x$number")
      y.add("domain", Figure.encode(Seq(from, until)))
      if (oneTimeAxis && index > 0) x.addProperty("matches", "x")
      if (!labelled) {
        x.remove("title")
        x.addProperty("showticklabels", false)
      }
      Seq(s"xaxis$number" -> x, s"yaxis$number" -> y)
    }

    private def axis(name: String): JsonObject = Option(layout.getAsJsonObject(name)).getOrElse(new JsonObject)

    def heading(top: Double): JsonObject = Figure.record(
      Seq("xref", "yref").map(_ -> "paper") ++ Seq("x" -> 0.0, "y" -> top, "yshift" -> 3, "xanchor" -> "left", "yanchor" -> "bottom") ++
        Seq("text" -> Look.code(lines), "align" -> "left", "showarrow" -> false): _*
    )

    /** Returns shapes or annotations that belong to this panel's axes. Those that belonged to the paper now belong to the panel. */
    def moved(what: String): Vector[JsonElement] =
      Option(layout.getAsJsonArray(what)).getOrElse(new JsonArray).asScala.toVector.map { one =>
        val json = one.getAsJsonObject
        for { letter <- Seq("x", "y"); field <- Seq(s"${letter}ref", s"a${letter}ref") if json.has(field) } {
          val now = json.get(field).getAsString match {
            case "paper"                        => s"$letter$number domain"
            case "pixel"                        => "pixel"
            case own if own.endsWith(" domain") => s"$letter$number domain"
            case _                              => s"$letter$number"
          }
          json.addProperty(field, now)
        }
        json
      }
  }
}

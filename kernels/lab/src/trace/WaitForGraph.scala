package lab.trace

import plotly.element.ScatterMode
import plotly.{Scatter, Sequence}

import lab.chart.{Chart, Drawing, Figure, Look}
import lab.show.{Markup, Table}

import scala.annotation.tailrec

/** A graph of who waits for whom. A circle in it is a deadlock, if each of its members waits for nothing else.
  *
  * @param edges pairs of who waits and what they wait for
  */
final case class WaitForGraph(edges: Seq[(String, String)]) {
  private val nodes = edges.flatMap { case (from, to) => Seq(from, to) }.distinct.toVector

  /** Finds a circle, if there is one: its members in order, with the first again at the end. */
  def circle: Option[Vector[String]] = nodes.iterator.flatMap(node => back(Vector(Vector(node)), Set.empty)).nextOption()

  /** Finds the shortest way back to where all of `ways` began. */
  @tailrec private def back(ways: Vector[Vector[String]], seen: Set[String]): Option[Vector[String]] = {
    val longer = for { way <- ways; (from, to) <- edges if from == way.last } yield way :+ to
    longer.find(way => way.last == way.head) match {
      case None if longer.nonEmpty =>
        val fresh = longer.filterNot(way => seen(way.last)).distinctBy(_.last)
        back(fresh, seen ++ fresh.map(_.last))
      case found => found
    }
  }

  /** Draws an arrow for each edge, from name to name on a ring. `title` is the finding. */
  def chart(title: String): Chart = {
    val places = nodes.zipWithIndex.map { case (node, index) =>
      val angle = 2 * math.Pi * index / nodes.size
      node -> ((WaitForGraph.breadth * math.sin(angle), math.cos(angle)))
    }.toMap
    val points = nodes.map(places)
    val names = Scatter(Sequence.Doubles(points.map(_._1)), Sequence.Doubles(points.map(_._2)))
      .withMode(ScatterMode(ScatterMode.Text))
      .withText(nodes.map(Markup.escape))
      .withHovertemplate("%{text}<extra></extra>")
    val arrows = edges.filter { case (from, to) => from != to }.map { case (from, to) =>
      val ((x1, y1), (x2, y2)) = (places(from), places(to))
      val (width, height) = ((x2 - x1).abs, (y2 - y1).abs)
      val place =
        Seq("x" -> x2, "y" -> y2, "ax" -> x1, "ay" -> y1) ++ Seq("xref", "axref").map(_ -> "x") ++ Seq("yref", "ayref").map(_ -> "y")
      val ends = Seq("startstandoff" -> WaitForGraph.edge(from, width, height), "standoff" -> WaitForGraph.edge(to, width, height))
      Figure.record(ends ++ place ++ WaitForGraph.arrow: _*)
    }
    val summary = edges.map { case (from, to) => s"$from waits for $to" }.mkString("", "; ", ".")
    val table = Table("Who waits for whom", Seq("who", "waits for"), edges.map { case (from, to) => Seq(from, to) })
    val more: Seq[(String, Any)] = WaitForGraph.bare :+ ("layout.annotations" -> arrows)
    Chart(Drawing(title, summary, table, Seq(names), Look.layout(title, 260, legend = Nil), more))
  }
}

object WaitForGraph {

  /** How much wider than high the ring is, because names next to one another need room. */
  private val breadth = 2.2

  /** Returns after how many pixels a line leaves a name's box from its middle, if it goes this far across and this far up. */
  private def edge(name: String, across: Double, up: Double): Double = {
    val (halfWidth, halfHeight) = (Look.width(name) / 2 + 6, 14.0)
    val length = math.hypot(across, up)
    (if (across == 0) halfHeight
     else if (up == 0) halfWidth
     else (halfWidth * length / across).min(halfHeight * length / up)).round.toDouble
  }

  private val arrow =
    Seq("text" -> "", "showarrow" -> true, "arrowhead" -> 2, "arrowsize" -> 1.2, "arrowwidth" -> 2.0, "arrowcolor" -> Look.blocked)

  /** No axes. A pixel across is worth as much as one up, so that an arrow has the same slope on every screen. */
  private val bare = Seq(
    "layout.xaxis" -> Figure.record("visible" -> false, "range" -> Seq(-1.35 * breadth, 1.35 * breadth)),
    "layout.yaxis" -> Figure.record("visible" -> false, "range" -> Seq(-1.25, 1.25), "scaleanchor" -> "x", "constrain" -> "domain")
  )
}

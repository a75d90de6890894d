package lab

import plotly.element.{Line, Marker, OneOrSeq, ScatterMode}
import plotly.{Scatter, Sequence}

import scala.annotation.tailrec

/** Who waits for whom. A circle in it is a deadlock, if each of its members waits for nothing else.
  *
  * @param edges from who waits to what they wait for
  */
final case class WaitForGraph(edges: Seq[(String, String)]) {
  private val nodes = edges.flatMap { case (from, to) => Seq(from, to) }.distinct.toVector

  /** A circle, if there is one: its members in order, the first once more at the end. */
  def circle: Option[Vector[String]] = nodes.iterator.flatMap(node => back(Vector(Vector(node)), Set.empty)).nextOption()

  /** The shortest way from where all of `ways` began back to it. */
  @tailrec private def back(ways: Vector[Vector[String]], seen: Set[String]): Option[Vector[String]] = {
    val longer = for { way <- ways; (from, to) <- edges if from == way.last } yield way :+ to
    longer.find(way => way.last == way.head) match {
      case None if longer.nonEmpty =>
        val fresh = longer.filterNot(way => seen(way.last)).distinctBy(_.last)
        back(fresh, seen ++ fresh.map(_.last))
      case found => found
    }
  }

  /** An arrow for each edge, between names on a ring. `title` is the finding. */
  def chart(title: String): Chart = {
    val places = nodes.zipWithIndex.map { case (node, index) =>
      val angle = 2 * math.Pi * index / nodes.size
      node -> ((math.sin(angle), math.cos(angle)))
    }.toMap
    val arrows = edges.map { case (from, to) =>
      val ((x1, y1), (x2, y2)) = (places(from), places(to))
      def between(share: Double) = (x1 + (x2 - x1) * share, y1 + (y2 - y1) * share)
      val ends = Seq(between(0.18), between(0.82))
      Scatter(Sequence.Doubles(ends.map(_._1)), Sequence.Doubles(ends.map(_._2)))
        .withMode(ScatterMode(ScatterMode.Lines, ScatterMode.Markers))
        .withLine(Line().withColor(OneOrSeq.One(Look.blocked)).withWidth(2.0))
        .withMarker(Marker().withColor(OneOrSeq.One(Look.blocked)).withSize(OneOrSeq.Sequence(Seq(0, 15))))
        .withHovertemplate(s"${Markup.escape(from)} waits for ${Markup.escape(to)}<extra></extra>")
    }
    val points = nodes.map(places)
    val names = Scatter(Sequence.Doubles(points.map(_._1)), Sequence.Doubles(points.map(_._2)))
      .withMode(ScatterMode(ScatterMode.Text))
      .withText(nodes.map(Markup.escape))
      .withHovertemplate("%{text}<extra></extra>")
    val summary = edges.map { case (from, to) => s"$from waits for $to" }.mkString("", "; ", ".")
    val table = Table("Who waits for whom", Seq("who", "waits for"), edges.map { case (from, to) => Seq(from, to) })
    Chart(Drawing(title, summary, table, arrows :+ names, Look.layout(title, 260, legend = Nil), WaitForGraph.bare))
  }
}

object WaitForGraph {

  /** No axes; a line's second marker is the head of an arrow, turned away from the first. */
  private val bare = Seq("layout.xaxis", "layout.yaxis").flatMap { axis =>
    Seq(s"$axis.visible" -> Figure.encode(false), s"$axis.range" -> Figure.encode(Seq(-1.3, 1.3)))
  } ++ Seq(
    "data.marker.angleref" -> Figure.encode("previous"),
    "data.marker.symbol" -> Figure.encode("arrow"),
    "data.marker.opacity" -> Figure.encode(1)
  )
}

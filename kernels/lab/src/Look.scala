package lab

import plotly.Config
import plotly.element.{Anchor, Color, Orientation}
import plotly.layout.{Axis, Font, HoverMode, Layout, Legend, Margin}

/** One look for every chart: colours that stay apart for colour-blind eyes (Okabe and Ito's palette, 2008), each kind of thing in one colour
  * throughout the course, and no background, so that JupyterLab's light and dark themes both shine through.
  */
object Look {
  private val blue = Color.RGB(0, 114, 178)
  private val vermilion = Color.RGB(213, 94, 0)
  private val green = Color.RGB(0, 158, 115)
  private val orange = Color.RGB(230, 159, 0)
  private val purple = Color.RGB(204, 121, 167)
  private val sky = Color.RGB(86, 180, 233)

  /** A task on one of the pool's own threads. */
  val running: Color = blue

  /** A task inside `blocking` or `Await`. */
  val blocked: Color = vermilion

  /** A task on a spare thread. */
  val spare: Color = green

  /** A task waiting in a queue: the lighter shade of running. */
  val waiting: Color = Color.RGBA(86, 180, 233, 0.45)

  /** For series that aren't kinds of the above, in this order. */
  val series: Vector[Color] = Vector(blue, orange, green, purple, vermilion, sky)

  /** The grey that keeps about the same contrast (4.3 : 1 and 4.4 : 1) on white and on JupyterLab's dark background. */
  private val ink = Color.RGB(122, 122, 122)
  private val grid = Color.RGBA(128, 128, 128, 0.25)
  private val nothing = Color.RGBA(0, 0, 0, 0)

  private val titleWidth = 84
  private val lineHeight = 22

  def axis(title: String): Axis =
    Axis()
      .withTitle(title)
      .withTitlefont(Font(size = 13))
      .withGridcolor(grid)
      .withZerolinecolor(grid)
      .withLinecolor(grid)
      .withAutomargin(true)

  /** `title` stands above, broken into lines that fit; the legend, if there is one, between it and the plot. */
  def layout(title: String, plotHeight: Int, legend: Boolean): Layout = {
    val lines = wrap(title, titleWidth)
    val top = 24 + lineHeight * lines.size + (if (legend) 34 else 8)
    Layout()
      .withTitle(lines.map(Markup.escape).mkString("<br>"))
      .withHeight(top + plotHeight + 62)
      .withMargin(Margin().withL(60).withR(24).withT(top).withB(62))
      .withFont(Font(size = 13, family = "system-ui, sans-serif", color = ink))
      .withPaper_bgcolor(nothing)
      .withPlot_bgcolor(nothing)
      .withHovermode(HoverMode.Closest)
      .withShowlegend(legend)
      .withLegend(
        Legend()
          .withOrientation(Orientation.Horizontal)
          .withX(0.0)
          .withY(1.0)
          .withXanchor(Anchor.Left)
          .withYanchor(Anchor.Bottom)
          .withBgcolor(nothing)
      )
  }

  val config: Config = Config().withResponsive(true)

  /** What the typed model can't say: the title's place and size, and no advertisement in the toolbar. */
  val more: Seq[(String, com.google.gson.JsonElement)] = Seq(
    "layout.title.x" -> Figure.encode(0.0),
    "layout.title.xref" -> Figure.encode("container"),
    "layout.title.xanchor" -> Figure.encode("left"),
    "layout.title.y" -> Figure.encode(1.0),
    "layout.title.yanchor" -> Figure.encode("top"),
    "layout.title.pad.t" -> Figure.encode(18),
    "layout.title.pad.l" -> Figure.encode(12),
    "layout.title.font.size" -> Figure.encode(16),
    "config.displaylogo" -> Figure.encode(false)
  )

  /** `text` in lines of at most `width` characters, broken between words; a longer word keeps a line of its own. */
  private[lab] def wrap(text: String, width: Int): Vector[String] =
    text.split(' ').foldLeft(Vector.empty[String]) {
      case (lines :+ last, word) if last.length + 1 + word.length <= width => lines :+ s"$last $word"
      case (lines, word)                                                   => lines :+ word
    }
}

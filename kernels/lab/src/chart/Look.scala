package lab.chart

import plotly.Config
import plotly.element.{Anchor, Color, Line, OneOrSeq, Orientation}
import plotly.layout.{Axis, Font, HoverMode, Layout, Legend, Margin}

import lab.show.Markup

/** One look for every chart: colours that stay apart for colour-blind eyes (Okabe and Ito's palette, 2008), each kind of thing in one
  * colour throughout the course, and no background, so that JupyterLab's light and dark themes both shine through.
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

  /** The one task whose story a timeline tells, and nothing else; 4.9 : 1 on white and 3.9 : 1 on JupyterLab's dark background. */
  val story: Color = Color.RGB(216, 27, 72)

  /** Kinds of tasks, in this order: none has the colour of what is blocked, on a spare thread or waiting. */
  val kinds: Vector[Color] = Vector(blue, orange, purple)

  /** For series that aren't kinds of the above, in this order. */
  val series: Vector[Color] = Vector(blue, orange, green, purple, vermilion, sky)

  private val grey = 118

  /** The grey of words and edges: 4.5 : 1 on white, as WCAG asks for small words, and 4.2 : 1 on JupyterLab's dark background. No grey has
    * 4.5 : 1 on both: there, words are lighter by [[lighterOnDark]].
    */
  private[lab] val ink: Color = Color.RGB(grey, grey, grey)

  /** Words in [[ink]] get 7.2 : 1 in JupyterLab's dark theme; whatever else shows the chart passes this over. Plotly writes colours so. */
  private[chart] val lighterOnDark: String =
    s"""<style>body[data-jp-theme-light="false"] .js-plotly-plot text[style*="fill: rgb($grey, $grey, $grey)"]""" +
      "{fill:rgb(160,160,160)!important}</style>"

  /** Around bars and marks: what is filled in a light colour still has an edge on white, what is dark one on JupyterLab's dark background. */
  private[chart] val edge: Line = Line().withColor(OneOrSeq.One(ink)).withWidth(1.0)

  /** The two strokes of an error bar, the broad one below: on whatever colour it lies, one of them stands out. */
  private[lab] val (halo, core) = (Color.RGBA(255, 255, 255, 0.85), Color.RGB(40, 40, 40))
  private val grid = Color.RGBA(128, 128, 128, 0.25)
  private val nothing = Color.RGBA(0, 0, 0, 0)

  // What fits into a window of 700 pixels: letters of a title's line, pixels of a legend's row.
  private val titleWidth = 74
  private[chart] val headingWidth = 84
  private[chart] val plotWidth = 560

  /** Left of the names along the vertical axis: its title, and some room. */
  private[chart] val besideNames = 48
  private val rowHeight = 21
  private[lab] val (aboveTitle, lineHeight, headingHeight, footHeight) = (24, 21, 18, 62)

  /** About how wide `text` gets in a chart's ordinary size, in pixels. */
  private[lab] def width(text: String): Double = text.length * 7.3

  def axis(title: String): Axis =
    Axis()
      .withTitle(title)
      .withTitlefont(Font(size = 13))
      .withGridcolor(grid)
      .withZerolinecolor(grid)
      .withLinecolor(grid)
      .withAutomargin(true)

  /** `title` stands above, broken into lines that fit; the names of `legend`, if there are any, between it and the plot. What stands
    * between backticks in the title is set as code.
    *
    * @param beside about how many pixels the names along the vertical axis take
    */
  def layout(title: String, plotHeight: Int, legend: Seq[String], beside: Double = 0): Layout = {
    val lines = titleLines(title)
    val top = aboveTitle + lineHeight * lines.size + (if (legend.isEmpty) 8 else 12 + rowHeight * rows(legend, plotWidth - beside))
    Layout()
      .withTitle(code(lines))
      .withHeight(top + plotHeight + footHeight)
      .withMargin(Margin().withL(60).withR(24).withT(top).withB(footHeight))
      .withFont(Font(size = 13, family = "system-ui, sans-serif", color = ink))
      .withPaper_bgcolor(nothing)
      .withPlot_bgcolor(nothing)
      .withHovermode(HoverMode.Closest)
      .withShowlegend(legend.nonEmpty)
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

  /** Not `responsive`: JupyterLab's renderer fits charts to their cell itself, by `Plots.resize`, which forgets the layout's height.
    * Responsive ones then are as high as what holds them from their next drawing on, and there that is nothing: a click on the legend made
    * them vanish.
    */
  val config: Config = Config().withResponsive(false)

  /** What the typed model can't say: the title's place and size, and no advertisement in the toolbar. */
  val more: Seq[(String, Any)] = Seq(
    "layout.title" -> Figure.record("x" -> 0.0, "xref" -> "container", "xanchor" -> "left", "y" -> 1.0, "yanchor" -> "top"),
    "layout.title.pad" -> Figure.record("t" -> 18, "l" -> 12),
    "layout.title.font.size" -> 15,
    "layout.xaxis.title.standoff" -> 10,
    "layout.yaxis.title.standoff" -> 10,
    "config.displaylogo" -> false
  )

  /** How many rows a horizontal legend of these names takes in `room` pixels: Plotly makes columns as wide as the longest name of what fits
    * no single row.
    */
  private def rows(legend: Seq[String], room: Double): Int = {
    val widths = legend.map(name => width(name) + 56)
    if (widths.sum <= room) 1 else math.ceil(legend.size / math.max(1, math.floor(room / widths.max))).toInt
  }

  private[chart] def titleLines(title: String): Vector[String] = balanced(title, titleWidth)

  /** These lines as Plotly's markup. */
  private[chart] def code(lines: Seq[String]): String =
    lines
      .map(Markup.escape)
      .mkString("<br>")
      .split("`", -1)
      .zipWithIndex
      .map { case (part, n) => if (n % 2 == 1) s"""<span style="font-family:monospace">$part</span>""" else part }
      .mkString

  /** The same number of lines as [[wrap]] would make, about equally long: no word is left alone on the last one. */
  private[chart] def balanced(text: String, width: Int): Vector[String] = {
    val lines = wrap(text, width).size
    (1 to width).iterator.map(wrap(text, _)).find(_.sizeIs == lines).getOrElse(wrap(text, width))
  }

  /** `text` in lines of at most `width` characters, broken between words; a longer word keeps a line of its own. */
  private[chart] def wrap(text: String, width: Int): Vector[String] =
    text.split(' ').foldLeft(Vector.empty[String]) {
      case (lines :+ last, word) if last.length + 1 + word.length <= width => lines :+ s"$last $word"
      case (lines, word)                                                   => lines :+ word
    }
}

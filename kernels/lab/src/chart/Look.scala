package lab.chart

import plotly.Config
import plotly.element.{Anchor, Color, Line, OneOrSeq, Orientation}
import plotly.layout.{Axis, Font, HoverMode, Layout, Legend, Margin}

import lab.show.Markup

/** The look of all charts. Its colours are distinct for colour-blind eyes (Okabe and Ito's palette, 2008), and each kind of thing has one
  * colour throughout the course. There is no background, so charts suit JupyterLab's light and dark themes.
  */
object Look {
  private val blue = Color.RGB(0, 114, 178)
  private val vermilion = Color.RGB(213, 94, 0)
  private val green = Color.RGB(0, 158, 115)
  private val orange = Color.RGB(230, 159, 0)
  private val purple = Color.RGB(204, 121, 167)
  private val sky = Color.RGB(86, 180, 233)

  /** The colour of a task on one of the pool's own threads. */
  val running: Color = blue

  /** The colour of a task inside `blocking` or `Await`. */
  val blocked: Color = vermilion

  /** The colour of a task on a spare thread. */
  val spare: Color = green

  /** The colour of a task in a queue, a lighter shade of [[running]]. */
  val waiting: Color = Color.RGBA(86, 180, 233, 0.45)

  /** The colour of the one task whose story a timeline tells, and of nothing else. Its contrast is 4.9 : 1 on white, and 3.9 : 1 on
    * JupyterLab's dark background.
    */
  val story: Color = Color.RGB(216, 27, 72)

  /** The colours of kinds of tasks, in order. None of them is used for blocked or waiting tasks, or for spare threads. */
  val kinds: Vector[Color] = Vector(blue, orange, purple)

  /** The colours of all other series, in order. */
  val series: Vector[Color] = Vector(blue, orange, green, purple, vermilion, sky)

  private val grey = 118

  /** The grey of words and edges. Its contrast is 4.5 : 1 on white, as WCAG asks for small words, and 4.2 : 1 on JupyterLab's dark
    * background. No grey has 4.5 : 1 on both, so [[lighterOnDark]] makes words lighter on the dark one.
    */
  private[lab] val ink: Color = Color.RGB(grey, grey, grey)

  /** Gives words in [[ink]] a contrast of 7.2 : 1 in JupyterLab's dark theme. Other programs ignore it. Its selector has the form in which
    * Plotly writes colours.
    */
  private[chart] val lighterOnDark: String =
    s"""<style>body[data-jp-theme-light="false"] .js-plotly-plot text[style*="fill: rgb($grey, $grey, $grey)"]""" +
      "{fill:rgb(160,160,160)!important}</style>"

  /** The edge of bars and marks. Light fills need it on white, and dark ones on JupyterLab's dark background. */
  private[chart] val edge: Line = Line().withColor(OneOrSeq.One(ink)).withWidth(1.0)

  /** The colours of an error bar's two strokes, of which the broad one is below. On any background, one of them is visible. */
  private[lab] val (halo, core) = (Color.RGBA(255, 255, 255, 0.85), Color.RGB(40, 40, 40))
  private val grid = Color.RGBA(128, 128, 128, 0.25)
  private val nothing = Color.RGBA(0, 0, 0, 0)

  // What fits into a window of 700 pixels: the letters of a title's line, and the pixels of a legend's row.
  private val titleWidth = 74
  private[chart] val headingWidth = 84
  private[chart] val plotWidth = 560

  /** The room for the title of the vertical axis, left of its names, in pixels. */
  private[chart] val besideNames = 48
  private val rowHeight = 21
  private[lab] val (aboveTitle, lineHeight, headingHeight, footHeight) = (24, 21, 18, 62)

  /** Returns the approximate width of `text` in a chart's ordinary size, in pixels. */
  private[lab] def width(text: String): Double = text.length * 7.3

  /** Creates an axis with this title and the look of all charts. */
  def axis(title: String): Axis =
    Axis()
      .withTitle(title)
      .withTitlefont(Font(size = 13))
      .withGridcolor(grid)
      .withZerolinecolor(grid)
      .withLinecolor(grid)
      .withAutomargin(true)

  /** Creates a layout. `title` is at the top, broken into lines that fit, and text between its backticks is set as code. The names of
    * `legend`, if there are any, are between the title and the plot.
    *
    * @param beside the approximate width of the names along the vertical axis, in pixels
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

  /** The configuration, which isn't `responsive`, because JupyterLab's renderer itself fits charts to their cell, by `Plots.resize`, which
    * forgets the layout's height. From their next drawing on, responsive charts are as high as their container, whose height is then 0. So
    * a click on the legend made them vanish.
    */
  val config: Config = Config().withResponsive(false)

  /** Settings that the typed model doesn't have: the title's place and size, and no advertisement in the toolbar. */
  val more: Seq[(String, Any)] = Seq(
    "layout.title" -> Figure.record("x" -> 0.0, "xref" -> "container", "xanchor" -> "left", "y" -> 1.0, "yanchor" -> "top"),
    "layout.title.pad" -> Figure.record("t" -> 18, "l" -> 12),
    "layout.title.font.size" -> 15,
    "layout.xaxis.title.standoff" -> 10,
    "layout.yaxis.title.standoff" -> 10,
    "config.displaylogo" -> false
  )

  /** Returns how many rows a horizontal legend of these names takes in `room` pixels. If the names don't fit into a single row, Plotly
    * makes columns as wide as the longest name.
    */
  private def rows(legend: Seq[String], room: Double): Int = {
    val widths = legend.map(name => width(name) + 56)
    if (widths.sum <= room) 1 else math.ceil(legend.size / math.max(1, math.floor(room / widths.max))).toInt
  }

  private[chart] def titleLines(title: String): Vector[String] = balanced(title, titleWidth)

  /** Returns these lines as Plotly's markup. */
  private[chart] def code(lines: Seq[String]): String =
    lines
      .map(Markup.escape)
      .mkString("<br>")
      .split("`", -1)
      .zipWithIndex
      .map { case (part, n) => if (n % 2 == 1) s"""<span style="font-family:monospace">$part</span>""" else part }
      .mkString

  /** Breaks `text` into as many lines as [[wrap]] does, but of about the same length, so that no word is alone on the last one. */
  private[chart] def balanced(text: String, width: Int): Vector[String] = {
    val lines = wrap(text, width).size
    (1 to width).iterator.map(wrap(text, _)).find(_.sizeIs == lines).getOrElse(wrap(text, width))
  }

  /** Breaks `text` between words into lines of at most `width` characters. A longer word gets a separate line. */
  private[chart] def wrap(text: String, width: Int): Vector[String] =
    text.split(' ').foldLeft(Vector.empty[String]) {
      case (lines :+ last, word) if last.length + 1 + word.length <= width => lines :+ s"$last $word"
      case (lines, word)                                                   => lines :+ word
    }
}

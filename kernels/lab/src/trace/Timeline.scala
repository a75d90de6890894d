package lab.trace

import com.google.gson.JsonObject
import lab.trace.Lanes.{Piece, Style}
import plotly.element.{BarTextPosition, Color, Line, Marker, OneOrSeq, Orientation, TickMode}
import plotly.layout.{BarMode, Layout}
import plotly.{Bar, Sequence}

import lab.chart.{Chart, Drawing, Figure, Frames, Look, Scale}
import lab.show.{Markup, Say, Table}

/** Draws what a [[Trace]] recorded, with one lane per thread. The thick bar in a lane is the thread at work, with blocked stretches in
  * their own colour. Thin bars below it are tasks that wait in the queue for this thread, one below the other as far as there is room.
  *
  * A [[Scene]] says what to show of a run, and how. Many tasks are merged so that the picture stays light: see `mergeFrom`.
  */
object Timeline {

  /** From this many tasks on, neighbouring bars of a lane that a screen couldn't separate are drawn as one, and the text says so. */
  private val mergeFrom = 600
  private val mostLanes = 40
  private val columns = 1000

  // For a picture that is played: the number of frames, the time for each, and the most bars. Each frame has a number for each bar.
  private val (frames, frameMillis, mostMoving) = (60, 120, 300)

  /** Draws everything that `trace` has recorded so far, under a title that counts it. */
  def apply(trace: Trace): Chart = apply(trace.summary, trace.spans)

  /** Draws `spans` under `title`, which is the finding. Tasks that haven't ended are drawn up to the last moment that the spans know of. */
  def apply(title: String, spans: Seq[TaskSpan]): Chart = apply(title, Scene(spans))

  /** Draws a part of a run, or a run with one task as its story; see [[Scene]]. */
  def apply(title: String, scene: Scene): Chart = Chart(new Picture(scene, scene.shown.nanos, compact = false).drawing(title))

  /** Draws small timelines one below the other, each with its name, over one time axis. If scenes have a story and no window, each begins
    * shortly before its story's task arrives, and shows as much time as the longest of these stories takes. This compares the same arrival
    * in several runs.
    *
    * {{{
    * Timeline.stacked("Two threads help more than a faster one")(
    *   "one thread" -> Scene(one.spans, story = Some(late(one))), "two threads" -> Scene(two.spans, story = Some(late(two))))
    * }}}
    */
  def stacked(title: String)(scenes: (String, Scene)*): Chart = {
    val aligned = scenes.map { case (name, scene) => name -> inWindow(scene, scenes.map(_._2)) }
    val length = aligned.map(_._2.shown.nanos).maxOption.getOrElse(1L)
    val panels = aligned.map { case (name, scene) =>
      val heading = (name +: scene.storyInWords.toSeq).mkString(": ")
      Chart(new Picture(scene, length, compact = true).drawing(heading))
    }
    val table = Table(
      "What happens to the task in each run",
      Seq("run", "task", "waited", "behind", "ran"),
      for { (name, scene) <- aligned; one <- scene.story } yield {
        val behind = Summary.ahead(one, scene.spans).map { case (task, nanos) => s"${task.label} (${Say.nanos(nanos)})" }
        Seq(name, one.label, one.queuedNanos.fold("–")(Say.nanos), behind.mkString(", "), one.ranNanos.fold("–")(Say.nanos))
      }
    )
    val chart = Chart.panels(title, oneTimeAxis = true)(panels: _*)
    if (table.rows.isEmpty) chart else chart.copy(table = table)
  }

  /** Draws the same picture as it develops, slowed down or sped up to a few seconds. Buttons play and stop it, a slider goes to any moment,
    * and the words above it count the waiting tasks. It begins with the whole picture. Bars of many tasks are merged into some hundreds at
    * most.
    */
  def play(title: String, scene: Scene): Chart = {
    val picture = new Picture(scene, scene.shown.nanos, compact = false, mostMoving)
    val drawing = picture.drawing(title)
    Chart(drawing).copy(
      summary = s"${drawing.summary} Played in ${Say.nanos(frames * frameMillis * 1000000L)}; it took ${Say.nanos(scene.shown.nanos)}.",
      figure = picture.moving(drawing.figure)
    )
  }

  /** Plays all these tasks in the same way. */
  def play(title: String, spans: Seq[TaskSpan]): Chart = play(title, Scene(spans))

  private def inWindow(scene: Scene, all: Seq[Scene]): Scene = scene.story match {
    case Some(one) if scene.window.isEmpty =>
      val stays = for (each <- all; story <- each.story) yield story.endedNanos.getOrElse(each.lastNanos) - story.submittedNanos
      val from = one.submittedNanos - stays.max / 6
      scene.copy(window = Some(Interval(from, from + stays.max * 4 / 3)))
    case _ => scene
  }

  /** One timeline.
    *
    * @param length  the time from its left to its right edge, in nanoseconds
    * @param compact whether it is one of several
    * @param most    how many bars it may have; 0 for any number
    */
  private final class Picture(scene: Scene, length: Long, compact: Boolean, most: Int = 0) {
    private val zero = scene.shown.fromNanos
    private val (unit, size) = Scale.timeUnit(length, 5)
    private val lanes = Lanes.of(scene)
    private val drawn = lanes.take(mostLanes)
    private val merge = {
      val steps = Iterator.iterate(length / columns)(_ * 2)
      if (most > 0) (Iterator(0L) ++ steps).find(gap => piecesAt(gap).sizeIs <= most || gap > length).getOrElse(length)
      else if (scene.visible.sizeIs < mergeFrom) 0L
      else length / columns
    }
    private val pieces = piecesAt(merge)
    private val bars: Seq[(Style, Vector[Piece])] =
      Lanes.styles(scene).map(style => style -> pieces.filter(_.style == style)).filter(_._2.nonEmpty)

    private def piecesAt(merge: Long): Vector[Piece] =
      drawn.zipWithIndex.flatMap { case (lane, row) => Lanes.pieces(scene, lane, row, merge) }.filter { piece =>
        piece.style != Lanes.Waiting || piece.untilNanos - piece.fromNanos > length / columns
      }

    private def at(nanos: Long): Double = (nanos - zero) / size

    def drawing(title: String): Drawing = {
      val spans = scene.visible
      val summary = Seq(
        Some(s"${Summary.sentence(spans)}."),
        scene.storyInWords.flatMap(words => scene.story.map(one => s"`${one.label}` $words.")),
        Option.when(scene.notes.nonEmpty)(
          s"Marked: ${scene.notes.map { case (nanos, word) => s"$word at ${moment(nanos)}" }.mkString(", ")}."
        ),
        Option.when(merge > 0)(s"Bars closer than ${Say.nanos(merge)} are drawn as one."),
        Option.when(lanes.size > mostLanes)(s"Only the first $mostLanes of ${lanes.size} lanes are drawn.")
      ).flatten.mkString(" ")
      val hatches = bars.zipWithIndex.flatMap { case ((style, _), index) => Drawing.hatch(index, style.hatch, style.filled) }
      val data = bars.map { case (style, pieces) => traceOf(style, pieces) }
      Drawing(title, summary, Summary.table(spans, zeroNanos = zero), data, layout(title), textRules ++ axes ++ hatches ++ words)
    }

    private def moment(nanos: Long): String = s"${Say.number(at(nanos))} $unit"

    private def traceOf(style: Style, pieces: Vector[Piece]): Bar = {
      val marker = Marker().withColor(OneOrSeq.One(style.color))
      val edged = merge == 0
      val bar = Bar(
        Sequence.Doubles(pieces.map(piece => at(piece.untilNanos) - at(piece.fromNanos))),
        Sequence.Doubles(pieces.map(_.middle))
      ).withName(style.name)
        .withOrientation(Orientation.Horizontal)
        .withBase(OneOrSeq.Sequence(pieces.map(piece => at(piece.fromNanos))))
        .withWidth(OneOrSeq.Sequence(pieces.map(_.thickness)))
        .withMarker(if (edged) marker.withLine(if (style == Lanes.Waiting) queued else between) else marker)
        .withHovertemplate(OneOrSeq.Sequence(pieces.map { piece =>
          val long = Say.nanos(piece.untilNanos - piece.fromNanos)
          s"${Markup.escape(piece.label)}: ${style.name} $long, from ${moment(piece.fromNanos)}<extra></extra>"
        }))
      if (style == Lanes.Waiting) bar
      else
        bar.withTextposition(BarTextPosition.Inside).withText(pieces.map(piece => if (piece.labelled) Markup.escape(piece.label) else ""))
    }

    // The height of a lane in pixels, enough for labels and for waiting tasks, unless lanes are many. Rows above the first are for words.
    private val laneHeight = if (drawn.sizeIs > 12) 22 else (if (compact) 30 else 40) + (if (Lanes.queue(lanes) > 2) 14 else 0)
    private val wordsRows = if (compact) 0.0 else (scene.story.size + scene.notes.size.min(1)) * 22.0 / laneHeight

    private def layout(title: String): Layout = {
      val names = shorten(drawn.map(_.name)).zip(drawn).map { case (name, lane) => if (lane.spare) s"$name (spare)" else name }
      val height = ((names.size + wordsRows) * laneHeight).round.toInt.max(if (compact) 40 else 96)
      val thread = if (lanes.size > mostLanes) s"thread (the first $mostLanes of ${lanes.size})" else if (compact) "" else "thread"
      Look
        .layout(title, height, bars.map(_._1.name), names.map(Look.width).maxOption.getOrElse(0))
        .withBarmode(BarMode.Overlay)
        .withXaxis(Look.axis(clock))
        .withYaxis(
          Look
            .axis(thread)
            .withShowgrid(false)
            .withZeroline(false)
            .withTickmode(TickMode.Array)
            .withTickvals(Sequence.Doubles(names.indices.map(_.toDouble)))
            .withTicktext(Sequence.Strings(names.map(Markup.escape)))
            .withRange(plotly.Range.Doubles((names.size - 0.4, -0.6 - wordsRows)))
        )
    }

    private def clock: String = scene.window match {
      case None         => s"time since the first task was submitted ($unit)"
      case _ if compact => s"time since the beginning of each part ($unit)"
      case Some(window) =>
        val before = window.fromNanos - scene.copy(window = None).shown.fromNanos
        if (before == 0) s"time since the first task was submitted ($unit)"
        else s"time ($unit); 0 is ${Say.nanos(before.abs)} ${if (before > 0) "after" else "before"} the first task was submitted"
    }

    private def axes: Seq[(String, Any)] = Scale.numbers("xaxis", Nil) ++
      Option.when(compact || scene.window.isDefined || most > 0)("layout.xaxis.range" -> Seq(0.0, length / size))

    /** Writes what happens to the story's task above its bar, and notes above everything. */
    private def words: Seq[(String, Any)] = if (compact) Nil
    else {
      def written(x: Double, y: Double, text: Boolean => String, more: (String, Any)*): JsonObject = {
        val left = x > length / size / 2
        Figure.record(
          Seq("xref" -> "x", "yref" -> "y", "x" -> x, "y" -> y, "yanchor" -> "bottom", "showarrow" -> false) ++
            Seq("xanchor" -> (if (left) "right" else "left"), "text" -> text(left), "font" -> Figure.record("size" -> 12)) ++ more: _*
        )
      }
      val story = for (one <- scene.story; words <- scene.storyInWords) yield {
        val text = Markup.escape(words.replace("`", ""))
        written(at(one.submittedNanos).max(0), -0.6, left => if (left) s"$text ▼" else s"▼ $text")
      }
      val above = -0.6 - scene.story.size * 22.0 / laneHeight
      val notes = scene.notes.map { case (nanos, word) => written(at(nanos), above, _ => s" ${Markup.escape(word)} ") }
      val lines = scene.notes.map { case (nanos, _) =>
        val line = Figure.record("color" -> Look.ink, "width" -> 1.5, "dash" -> "dot")
        Figure.record(
          Seq("type" -> "line", "xref" -> "x", "yref" -> "y domain", "y0" -> 0, "y1" -> 1, "line" -> line) ++ Seq("x0", "x1").map(
            _ -> at(nanos)
          ): _*
        )
      }
      Seq("layout.annotations" -> (story.toSeq ++ notes), "layout.shapes" -> lines).filter(_._2.nonEmpty)
    }

    /** Adds frames that each show what has happened by then, and say who waits. */
    def moving(whole: Figure): Figure = {
      val moments = (1 to frames).map(frame => zero + length * frame / frames)
      val traces = moments.map { now =>
        whole.traces.zip(bars).map { case (trace, (_, pieces)) =>
          trace.add("x", Figure.encode(pieces.map(grown(_, now))))
          trace
        }
      }
      val above = whole.layout
      val layouts = moments.map { now =>
        val layout = above.deepCopy
        val text = above.getAsJsonObject("title").get("text").getAsString
        Figure.put(layout, List("title", "text"), Figure.encode(s"""$text<br><span style="font-size:13px">${counted(now)}</span>"""))
        Seq(layout -> "height", layout.getAsJsonObject("margin") -> "t").foreach { case (json, field) =>
          json.addProperty(field, json.get(field).getAsInt + Look.lineHeight)
        }
        layout
      }
      Frames(moments.map(now => Say.number(at(now))), traces, layouts).figure("", s" $unit", frames - 1, Some(frameMillis))
    }

    /** Returns a bar's length by then. A bar that hasn't begun is a gap, because a bar of no length would still show its edge. */
    private def grown(piece: Piece, now: Long): Double =
      if (now <= piece.fromNanos) Double.NaN
      else math.rint((at(piece.untilNanos.min(now)) - at(piece.fromNanos)) * 1000) / 1000

    private def counted(now: Long): String = {
      val (begun, others) = scene.visible.filter(_.submittedNanos <= now).partition(_.startedNanos.exists(_ <= now))
      val running = begun.count(_.endedNanos.forall(_ > now))
      val waiting = others.count(_.failure.isEmpty)
      s"At ${moment(now)}: ${if (waiting == 1) "1 waits" else s"$waiting wait"}, ${if (running == 1) "1 runs" else s"$running run"}, " +
        s"${begun.size - running} done"
    }
  }

  /** Tasks that follow one another in a lane have a gap between them; tasks that wait have an outline. */
  private val between = Line().withColor(OneOrSeq.One[Color](Color.RGBA(255, 255, 255, 0.8))).withWidth(1.0)
  private val queued = Line().withColor(OneOrSeq.One(Look.running)).withWidth(0.4)

  /** Labels are written inside their bars if they fit, and left out if they don't. */
  private val textRules = Seq(
    "layout.uniformtext" -> Figure.record("minsize" -> 10, "mode" -> "hide"),
    "data.insidetextanchor" -> "middle"
  )

  /** Shortens names by most of the long beginning that they share: "…global-17" for "scala-execution-context-global-17". */
  private[lab] def shorten(names: Vector[String]): Vector[String] = {
    val common = names.reduceOption((a, b) => a.zip(b).takeWhile { case (x, y) => x == y }.map(_._1).mkString).getOrElse("")
    val cut = common.stripSuffix(common.reverse.takeWhile(_ != '-').reverse).stripSuffix("-").lastIndexOf('-') + 1
    if (names.size < 2 || cut < 8) names else names.map(name => s"…${name.drop(cut)}")
  }
}

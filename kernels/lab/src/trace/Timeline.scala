package lab

import plotly.element.{BarTextPosition, Color, Line, Marker, OneOrSeq, Orientation, TickMode}
import plotly.layout.{BarMode, Layout}
import plotly.{Bar, Sequence}

/** Draws what a [[Trace]] recorded: one lane per thread. In a lane, the thick bar is the thread at work (blocked stretches in their own
  * colour), the thin bar under it is a task that waits in the queue for this thread; where several wait, their bars overlap and darken.
  *
  * Many tasks are merged so that the picture stays light: see `mergeFrom`.
  */
object Timeline {

  /** From so many tasks on, neighbouring bars of a lane that a screen couldn't tell apart are drawn as one; the text says so. */
  private val mergeFrom = 600
  private val mostLanes = 40
  private val columns = 1000

  def apply(trace: Trace): Chart = apply(trace.summary, trace.spans)

  /** `title` is the finding. Tasks that haven't ended are drawn up to the last moment that the spans know of. */
  def apply(title: String, spans: Seq[TaskSpan]): Chart = {
    val from = spans.map(_.submittedNanos).minOption.getOrElse(0L)
    val until = spans.flatMap(span => Seq(span.submittedNanos) ++ span.startedNanos ++ span.endedNanos).maxOption.getOrElse(from + 1)
    val (unit, size) = Scale.timeUnit(until - from, 5)
    val lanes = lanesOf(spans)
    val drawn = lanes.take(mostLanes)
    val merge = if (spans.size < mergeFrom) 0L else (until - from) / columns
    val pieces = drawn.zipWithIndex.flatMap { case (lane, row) => piecesOf(lane, row, until, merge) }.filter { piece =>
      piece.kind != Kind.Waiting || piece.untilNanos - piece.fromNanos > (until - from) / columns
    }
    val scale = (nanos: Long) => (nanos - from) / size
    val data = Kind.all.flatMap { kind =>
      val ofKind = pieces.filter(_.kind == kind)
      Option.when(ofKind.nonEmpty)(bars(kind, ofKind, nanos => scale(nanos), unit, edged = merge == 0))
    }
    val summary = Seq(
      Some(s"${Summary.sentence(spans)}."),
      Option.when(merge > 0)(s"Bars closer than ${Say.nanos(merge)} are drawn as one."),
      Option.when(lanes.size > mostLanes)(s"Only the first $mostLanes of ${lanes.size} lanes are drawn.")
    ).flatten.mkString(" ")
    val names = shorten(drawn.map(_.name)).zip(drawn).map { case (name, lane) => if (lane.spare) s"$name (spare)" else name }
    val axis = if (lanes.size > mostLanes) s"thread (the first $mostLanes of ${lanes.size})" else "thread"
    val shown = Kind.all.filter(kind => pieces.exists(_.kind == kind)).map(_.name)
    Chart(
      Drawing(title, summary, Summary.table(spans), data, layout(title, unit, axis, names, shown), textRules ++ Scale.numbers("xaxis", Nil))
    )
  }

  /** What a stretch of a lane means; later kinds are drawn over earlier ones. */
  private sealed abstract class Kind(val name: String, val color: Color, val offset: Double, val thickness: Double)
  private object Kind {
    case object Waiting extends Kind("waiting in the queue", Look.waiting, 0.34, 0.16)
    case object Running extends Kind("running", Look.running, -0.08, 0.62)
    case object OnSpare extends Kind("running on a spare thread", Look.spare, -0.08, 0.62)
    case object Blocked extends Kind("blocked", Look.blocked, -0.08, 0.52)
    val all: Seq[Kind] = Seq(Waiting, Running, OnSpare, Blocked)
  }

  private final case class Lane(name: String, spare: Boolean, spans: Vector[TaskSpan])
  private final case class Piece(
      kind: Kind,
      row: Int,
      fromNanos: Long,
      untilNanos: Long,
      label: String,
      tasks: Int,
      labelled: Boolean = true
  )

  /** A lane per thread, in the order in which threads began to work, spare ones last; tasks that no thread has taken share one lane.
    * Virtual threads run one task each, so those that follow one another share a lane: there are then as many lanes as ran at once.
    */
  private def lanesOf(spans: Seq[TaskSpan]): Vector[Lane] = {
    val (ran, waiting) = spans.toVector.partition(_.worker.isDefined)
    val (virtual, platform) = ran.partition(_.worker.exists(_.virtual))
    def begin(of: Seq[TaskSpan]): Long = of.flatMap(_.startedNanos).minOption.getOrElse(Long.MaxValue)
    val ofThreads = platform.groupBy(_.worker).toVector.collect { case (Some(worker), own) => Lane(worker.label, worker.spare, own) }
    val packed = virtual.sortBy(_.startedNanos).foldLeft(Vector.empty[Vector[TaskSpan]]) { (lanes, span) =>
      lanes.indexWhere(_.last.endedNanos.exists(end => span.startedNanos.exists(_ >= end))) match {
        case -1   => lanes :+ Vector(span)
        case free => lanes.updated(free, lanes(free) :+ span)
      }
    }
    val ofVirtual = packed.zipWithIndex.map { case (own, index) => Lane(s"virtual ${index + 1}", spare = false, own) }
    val unclaimed = Option.when(waiting.nonEmpty)(Lane("no thread yet", spare = false, waiting))
    ofThreads.sortBy(lane => (lane.spare, begin(lane.spans))) ++ ofVirtual ++ unclaimed
  }

  private def piecesOf(lane: Lane, row: Int, until: Long, merge: Long): Vector[Piece] = {
    val busy = if (lane.spare) Kind.OnSpare else Kind.Running
    val pieces = lane.spans.flatMap { span =>
      val end = span.endedNanos.getOrElse(until)
      val wait = Piece(Kind.Waiting, row, span.submittedNanos, span.startedNanos.getOrElse(end), span.label, 1)
      val run = span.startedNanos.map(started => Piece(busy, row, started, end, span.label, 1, labelled = span.blocked.isEmpty))
      val longest = span.blocked.maxByOption(_.nanos)
      val blocked = span.blocked.map(pause =>
        Piece(Kind.Blocked, row, pause.fromNanos, pause.untilNanos, span.label, 1, labelled = longest.contains(pause))
      )
      Vector(wait) ++ run ++ blocked
    }
    if (merge == 0) pieces else pieces.groupBy(_.kind).values.flatMap(merged(_, merge)).toVector
  }

  private def merged(pieces: Vector[Piece], gap: Long): Vector[Piece] =
    pieces.sortBy(_.fromNanos).foldLeft(Vector.empty[Piece]) {
      case (done :+ last, next) if next.fromNanos - last.untilNanos <= gap =>
        val tasks = last.tasks + next.tasks
        done :+ last
          .copy(untilNanos = last.untilNanos.max(next.untilNanos), label = Say.count(tasks, "task"), tasks = tasks, labelled = false)
      case (done, next) => done :+ next
    }

  private def bars(kind: Kind, pieces: Vector[Piece], at: Long => Double, unit: String, edged: Boolean): Bar = {
    val marker = Marker().withColor(OneOrSeq.One(kind.color))
    val bar = Bar(
      Sequence.Doubles(pieces.map(piece => at(piece.untilNanos) - at(piece.fromNanos))),
      Sequence.Doubles(pieces.map(_.row + kind.offset))
    ).withName(kind.name)
      .withOrientation(Orientation.Horizontal)
      .withBase(OneOrSeq.Sequence(pieces.map(piece => at(piece.fromNanos))))
      .withWidth(OneOrSeq.One(kind.thickness))
      .withMarker(if (edged) marker.withLine(if (kind == Kind.Waiting) queued else between) else marker)
      .withHovertemplate(OneOrSeq.Sequence(pieces.map { piece =>
        s"${Markup.escape(piece.label)}: ${kind.name} ${Say.nanos(piece.untilNanos - piece.fromNanos)}, from ${Say
            .number(at(piece.fromNanos))} $unit<extra></extra>"
      }))
    if (kind == Kind.Waiting) bar
    else bar.withTextposition(BarTextPosition.Inside).withText(pieces.map(piece => if (piece.labelled) Markup.escape(piece.label) else ""))
  }

  /** Tasks that follow one another in a lane have a gap between them, those that wait have an outline. */
  private val between = Line().withColor(OneOrSeq.One[Color](Color.RGBA(255, 255, 255, 0.8))).withWidth(1.0)
  private val queued = Line().withColor(OneOrSeq.One(Look.running)).withWidth(0.6)

  /** Lanes high enough for labels, unless they are many. */
  private def layout(title: String, unit: String, axis: String, names: Vector[String], shown: Seq[String]): Layout = {
    val height = (names.size * (if (names.sizeIs <= 12) 40 else 22)).max(96)
    Look
      .layout(title, height, shown, names.map(Look.width).maxOption.getOrElse(0))
      .withBarmode(BarMode.Overlay)
      .withXaxis(Look.axis(s"time since the first task was submitted ($unit)"))
      .withYaxis(
        Look
          .axis(axis)
          .withShowgrid(false)
          .withZeroline(false)
          .withTickmode(TickMode.Array)
          .withTickvals(Sequence.Doubles(names.indices.map(_.toDouble)))
          .withTicktext(Sequence.Strings(names))
          .withRange(plotly.Range.Doubles((names.size - 0.4, -0.6)))
      )
  }

  /** Labels are written inside their bars where they fit and left out where they don't. */
  private val textRules = Seq(
    "layout.uniformtext.minsize" -> Figure.encode(10),
    "layout.uniformtext.mode" -> Figure.encode("hide"),
    "data.insidetextanchor" -> Figure.encode("middle")
  )

  /** Names without most of the long beginning that they share: "…global-17" for "scala-execution-context-global-17". */
  private[lab] def shorten(names: Vector[String]): Vector[String] = {
    val common = names.reduceOption((a, b) => a.zip(b).takeWhile { case (x, y) => x == y }.map(_._1).mkString).getOrElse("")
    val cut = common.stripSuffix(common.reverse.takeWhile(_ != '-').reverse).stripSuffix("-").lastIndexOf('-') + 1
    if (names.size < 2 || cut < 8) names else names.map(name => s"…${name.drop(cut)}")
  }
}

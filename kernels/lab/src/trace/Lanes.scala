package lab.trace

import plotly.element.Color

import lab.chart.Look
import lab.show.Say

/** Lays out a [[Timeline]] in lanes, with stretches of time in them. */
private[trace] object Lanes {

  /** The way in which one meaning of a stretch is drawn.
    *
    * @param hatch  Plotly's pattern on it, if any
    * @param filled whether it has its colour under the pattern
    */
  final case class Style(name: String, color: Color, thickness: Double, hatch: String = "", filled: Boolean = true)

  val Waiting: Style = Style("waiting in the queue", Look.waiting, 0.16)
  private val Running = Style("running", Look.running, 0.62)
  private val OnSpare = Style("running on a spare thread", Look.spare, 0.62)
  private val Blocked = Style("blocked", Look.blocked, 0.52)
  private val StoryWaits = Style("this task waits", Look.story, 0.62, "/", filled = false)
  private val StoryRuns = Style("this task runs", Look.story, 0.62)

  /** A thread, or the one task with its own lane. */
  final case class Lane(name: String, spans: Vector[TaskSpan], spare: Boolean = false, own: Boolean = false)

  /** A bar. `middle` is its position across the lanes: a lane is 1 high, and its own middle is its number, counted from above. */
  final case class Piece(
      style: Style,
      middle: Double,
      thickness: Double,
      fromNanos: Long,
      untilNanos: Long,
      label: String,
      tasks: Int = 1,
      labelled: Boolean = true
  )

  /** Returns the styles of a scene; later ones are drawn over earlier ones. */
  def styles(scene: Scene): Seq[Style] =
    Seq(Waiting) ++ kinds(scene).map(_._2) ++ Seq(Running, OnSpare, StoryWaits, StoryRuns, Blocked)

  /** Returns the kinds in the order in which they first occur. It counts all tasks, not only those in the window, so that colours stay when
    * the window moves.
    */
  private def kinds(scene: Scene): Seq[(String, Style)] = {
    val hatches = Vector("", "\\", "x")
    scene.spans.map(scene.kind).filter(_.nonEmpty).distinct.zipWithIndex.map { case (kind, index) =>
      kind -> Running.copy(name = kind, color = Look.kinds(index % Look.kinds.size), hatch = hatches(index % hatches.size))
    }
  }

  /** Returns the story's own lane, then one lane per thread, in the order in which threads began to work, spare ones last. Tasks that no
    * thread has taken share one lane. A virtual thread runs one task, so virtual threads that follow one another share a lane. The number
    * of those lanes is then the number of virtual threads that ran simultaneously.
    */
  def of(scene: Scene): Vector[Lane] = {
    val (ran, waiting) = scene.visible.toVector.partition(_.worker.isDefined)
    val (virtual, platform) = ran.partition(_.worker.exists(_.virtual))
    def begin(of: Seq[TaskSpan]): Long = of.flatMap(_.startedNanos).minOption.getOrElse(Long.MaxValue)
    val ofThreads = platform.groupBy(_.worker).toVector.collect { case (Some(worker), own) => Lane(worker.label, own, worker.spare) }
    val packed = virtual.sortBy(_.startedNanos).foldLeft(Vector.empty[Vector[TaskSpan]]) { (lanes, span) =>
      lanes.indexWhere(_.last.endedNanos.exists(end => span.startedNanos.exists(_ >= end))) match {
        case -1   => lanes :+ Vector(span)
        case free => lanes.updated(free, lanes(free) :+ span)
      }
    }
    val ofVirtual = packed.zipWithIndex.map { case (own, index) => Lane(s"virtual ${index + 1}", own) }
    val unclaimed = Option.when(waiting.nonEmpty)(Lane("no thread yet", waiting))
    val story = scene.story.toVector.map(one => Lane(s"▶ ${one.label}", Vector(one), own = true))
    story ++ ofThreads.sortBy(lane => (lane.spare, begin(lane.spans))) ++ ofVirtual ++ unclaimed
  }

  /** Returns how many tasks wait for one thread simultaneously, at most. */
  def queue(lanes: Seq[Lane]): Int =
    lanes.filterNot(_.own).map(lane => slots(lane.spans).values.maxOption.fold(0)(_ + 1)).maxOption.getOrElse(0)

  /** Returns the bars to draw in a lane, cut at the window's edges. Bars that are closer than `merge` become one. */
  def pieces(scene: Scene, lane: Lane, row: Int, merge: Long): Vector[Piece] = {
    val (window, last) = (scene.shown, scene.lastNanos)
    val slot = slots(lane.spans)
    val unnamed = if (lane.spare) OnSpare else Running
    val styles = kinds(scene).toMap
    val deep = slot.values.maxOption.fold(1)(_ + 1).min(mostSlots)
    val all = lane.spans.flatMap { span =>
      val end = span.endedNanos.getOrElse(last)
      val isStory = scene.story.contains(span)
      def piece(style: Style, from: Long, until: Long): Piece = Piece(style, row - 0.08, style.thickness, from, until, span.label)
      val room = waitingRoom / deep
      val under = if (deep == 1) 0.34 else waitingFrom + room * (slot.getOrElse(span, 0) % mostSlots + 0.5)
      val waited =
        piece(if (lane.own) StoryWaits else Waiting, span.submittedNanos, span.startedNanos.getOrElse(end)).copy(labelled = false)
      val wait =
        if (lane.own) waited
        else waited.copy(middle = row + under, thickness = if (deep == 1) Waiting.thickness else room * 0.85)
      val run =
        span.startedNanos.map(started =>
          piece(if (isStory) StoryRuns else styles.getOrElse(scene.kind(span), unnamed), started, end).copy(labelled = span.blocked.isEmpty)
        )
      val longest = span.blocked.maxByOption(_.nanos)
      val blocked = span.blocked.map { pause =>
        piece(Blocked, pause.fromNanos, pause.untilNanos).copy(labelled = longest.contains(pause))
      }
      Vector(wait) ++ run ++ blocked
    }
    val cut =
      all.map(piece => piece.copy(fromNanos = piece.fromNanos.max(window.fromNanos), untilNanos = piece.untilNanos.min(window.untilNanos)))
    val left = if (scene.window.isEmpty) cut else cut.filter(piece => piece.fromNanos < piece.untilNanos)
    if (merge == 0) left else left.groupBy(_.style).values.flatMap(merged(_, merge)).toVector
  }

  // The bars of waiting tasks are below those of running tasks, and below one another as far as there is room.
  private val (waitingFrom, waitingRoom, mostSlots) = (0.26, 0.24, 8)

  /** Gives each task that waits at the same time as others its own place below theirs. */
  private def slots(spans: Vector[TaskSpan]): Map[TaskSpan, Int] = {
    val waits = spans.filter(span => span.queuedNanos.forall(_ > 0)).sortBy(_.submittedNanos)
    waits
      .foldLeft((Map.empty[TaskSpan, Int], Vector.empty[Long])) { case ((places, until), span) =>
        val end = span.startedNanos.getOrElse(Long.MaxValue)
        until.indexWhere(_ <= span.submittedNanos) match {
          case -1   => (places + (span -> until.size), until :+ end)
          case free => (places + (span -> free), until.updated(free, end))
        }
      }
      ._1
  }

  private def merged(pieces: Vector[Piece], gap: Long): Vector[Piece] =
    pieces
      .groupBy(_.middle)
      .values
      .toVector
      .flatMap(_.sortBy(_.fromNanos).foldLeft(Vector.empty[Piece]) {
        case (done :+ last, next) if next.fromNanos - last.untilNanos <= gap =>
          val tasks = last.tasks + next.tasks
          val until = last.untilNanos.max(next.untilNanos)
          done :+ last.copy(untilNanos = until, label = Say.count(tasks, "task"), tasks = tasks, labelled = false)
        case (done, next) => done :+ next
      })
}

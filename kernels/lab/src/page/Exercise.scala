package lab.page

import java.io.IOException
import java.util.concurrent.atomic.AtomicReference

import lab.machine.Neighbours
import lab.results.{ExerciseAttempt, OwnRecords}
import lab.show.{Display, Panel, Say}

import scala.concurrent.duration._

/** A task for the reader, with cases that try what the answer ''does''. A wrong answer fails no page. The cell shows what was expected and
  * what happened, and gives a hint for the first case that failed. If the same case fails again, the reader gets its next hint. If a case
  * recognises a mistake, it gives the hint for that mistake.
  *
  * Each case runs on a separate daemon thread and has a time limit. If an answer never returns, the cell reports where it waits, leaves its
  * thread behind and doesn't try the cases after it. The reader's records keep whether an exercise is solved.
  *
  * @tparam A what the reader hands in
  * @param id the id under which progress is kept; it never changes
  */
abstract class Exercise[A](val id: String) {
  import Exercise._

  /** Returns the cases that the answer must pass, the plainest first, since hints are for the first that fails. Cases draw their numbers at
    * random, so that no constant passes.
    */
  def trials: Trials
  protected type Trials = Seq[Trial[A]]

  private[page] def limit: FiniteDuration = 3.seconds

  /** How often each case was the first to fail, by the case's name. */
  private var failures = Map.empty[String, Int]
  @volatile private var latest = Option.empty[Outcome]

  /** Tries `answer`, which is evaluated again for each case, and shows the result. Call it from the cell's own thread.
    *
    * @throws java.lang.InterruptedException if the cell is interrupted
    */
  def check(answer: => A): Unit = {
    val outcome = attempt(() => answer)
    if (!outcome.unwritten)
      outcome.firstFailure.foreach { case (name, _) => failures = failures.updated(name, failures.getOrElse(name, 0) + 1) }
    latest = Some(outcome)
    Display.show(panel(outcome, if (outcome.unwritten) Right(None) else keep(outcome)).bundle)
  }

  /** Returns the result of the latest answer in this kernel. */
  def last: Option[Outcome] = latest

  private[page] def attempt(answer: () => A): Outcome = {
    val seen = trials.foldLeft(Vector.empty[(String, Seen)]) { (done, trial) =>
      val over = done.exists { case (_, seen) => seen.endless || (untilFirstFailure && !seen.fine) }
      done :+ (trial.name -> (if (over) Seen("", "not tried", fine = false) else run(trial, answer)))
    }
    Outcome(seen)
  }

  /** Tries a case again if it fails while other programs use the CPUs. A right answer that was only too late passes then. */
  private def run(trial: Trial[A], answer: () => A): Seen = {
    val watch = Neighbours.watch()
    val seen = once(trial, answer)
    if (seen.fine || seen.endless || seen.unwritten || !watch.disturbed) seen else once(trial, answer)
  }

  private def once(trial: Trial[A], answer: () => A): Seen = {
    val end = new AtomicReference[Either[Throwable, Seen]]
    val thread = new Thread(() => end.set(caught(trial.run(answer()))), s"exercise-$id")
    thread.setDaemon(true)
    thread.start()
    // Checked before the interrupt: afterwards the thread may be anywhere, and its end isn't the answer's doing.
    val (late, place) =
      try {
        thread.join(limit.toMillis)
        (thread.isAlive, placeOf(thread.getStackTrace))
      } finally thread.interrupt()
    if (late) Seen("an end", s"none after ${Say.time(limit)}$place", fine = false, endless = true)
    else
      end.get match {
        case Right(seen)                  => seen
        case Left(_: NotImplementedError) => Seen("an answer", "it isn't written yet: `???`", fine = false, unwritten = true)
        case Left(thrown)                 => Seen("no exception", s"$thrown${placeOf(thrown.getStackTrace)}", fine = false)
      }
  }

  /** Records the attempt, and returns the first success if there was one before, or the reason why progress can't be kept. */
  private def keep(outcome: Outcome): Either[String, Option[ExerciseAttempt]] = OwnRecords.folder match {
    case None => Left(OwnRecords.nowhere)
    case Some(folder) =>
      try {
        val solved = ExerciseAttempt.in(folder).find(one => one.exercise == id && one.isSolved)
        OwnRecords.keepIn(folder)(ExerciseAttempt.record(id, outcome.count, outcome.seen.size))
        Right(solved)
      } catch { case refused: IOException => Left(s"$refused") }
  }

  private def panel(outcome: Outcome, kept: Either[String, Option[ExerciseAttempt]]): Panel = {
    val facts = outcome.seen.map { case (name, seen) => s"${if (seen.fine) "✓" else "✗"} $name" -> seen.lines.mkString("\n") }
    val progress =
      kept.fold(why => s"Your progress couldn't be kept: $why", _.fold("")(first => s"First solved on ${s"${first.at}".take(10)}."))
    if (outcome.passed) Panel(Panel.Good, s"Exercise $id", s"solved: all ${outcome.seen.size} cases pass.", facts, progress)
    else if (outcome.unwritten) Panel(Panel.Open, s"Exercise $id", "Replace `???` and run the cell again.")
    else
      Panel(
        Panel.Bad,
        s"Exercise $id",
        s"${outcome.count} of ${outcome.seen.size} cases pass.",
        facts,
        (hint.toSeq :+ progress).filter(_.nonEmpty).mkString("\n")
      )
  }

  /** Returns the hint for the first case that the latest answer failed: what the case said about this mistake, or else the case's next
    * hint.
    */
  private[page] def hint: Option[String] =
    for {
      outcome <- latest if !outcome.unwritten
      (name, seen) <- outcome.firstFailure
      hints = trials.find(_.name == name).fold(Seq.empty[String])(_.hints)
      nth = failures.getOrElse(name, 0).min(hints.size)
      text <- Option(seen.hint).filter(_.nonEmpty).orElse(hints.lift(nth - 1))
    } yield
      if (seen.hint.nonEmpty || hints.size == 1) s"Hint for the first ✗: $text" else s"Hint for the first ✗, $nth of ${hints.size}: $text"
}

object Exercise {

  /** The system property with which a test of wrong answers asks to stop after the first case that fails. A reader sees all cases. */
  val UntilFirstFailure = "course.exercise.until-first-failure"
  private def untilFirstFailure: Boolean = java.lang.Boolean.getBoolean(UntilFirstFailure)

  /** One thing that the answer must do.
    *
    * @param hints hints for an answer that doesn't do it, from a nudge to nearly the answer
    */
  final case class Trial[A](name: String, hints: String*)(val run: A => Seen)

  /** The result of one case.
    *
    * @param input what the answer was given, if the case's name doesn't say it
    * @param hint  what to say if it isn't fine, if the case knows which mistake it was
    */
  final case class Seen(
      expected: String,
      happened: String,
      fine: Boolean,
      input: String = "",
      hint: String = "",
      private[page] val endless: Boolean = false,
      private[page] val unwritten: Boolean = false
  ) {

    /** Returns the result with what the answer was given. */
    def of(input: String): Seen = copy(input = input)

    /** Returns the result with this hint for the reader, if `mistake` is what went wrong. */
    def hintIf(mistake: Boolean)(hint: String): Seen = if (mistake && !fine && this.hint.isEmpty) copy(hint = hint) else this

    private[page] def lines: Seq[String] =
      if (fine || expected.isEmpty) Seq(happened)
      else Option(input).filter(_.nonEmpty).map("given: " + _).toSeq ++ Seq(s"expected: $expected", s"happened: $happened")
  }

  object Seen {

    /** Builds a result that is fine if the two are equal. */
    def apply(expected: Any, happened: Any): Seen = Seen(s"$expected", s"$happened", expected == happened)
  }

  /** The results of all cases for one answer, in order. */
  final case class Outcome(seen: Vector[(String, Seen)]) {

    /** Returns whether every case passes. */
    def passed: Boolean = seen.nonEmpty && seen.forall { case (_, seen) => seen.fine }

    /** Returns how many cases pass. */
    def count: Int = seen.count { case (_, seen) => seen.fine }
    private[page] def firstFailure: Option[(String, Seen)] = seen.find { case (_, seen) => !seen.fine }
    private[page] def unwritten: Boolean = seen.exists { case (_, seen) => seen.unwritten }
    override def toString: String = s"$count of ${seen.size} cases pass"
  }

  private def caught[T](body: => T): Either[Throwable, T] =
    try Right(body)
    catch { case thrown: Throwable => Left(thrown) }

  /** Finds the innermost frame that isn't the JDK's, Scala's or the lab's. */
  private def placeOf(frames: Array[StackTraceElement]): String =
    frames.headOption.fold("") { top =>
      val foreign = Seq("java.", "jdk.", "scala.", "lab.")
      val own = frames
        .find(frame => !foreign.exists(frame.getClassName.startsWith(_)))
        .fold("")(frame => s", called from line ${frame.getLineNumber}")
      s", in ${top.getClassName.split('.').lastOption.getOrElse("")}.${top.getMethodName}$own"
    }
}

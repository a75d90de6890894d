package lab.page

import java.io.PrintStream
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path
import java.time.{Instant, ZoneId}

import lab.installation.{Installation, OpenedPages}
import lab.results.{ExerciseAttempt, OwnPrediction, OwnRecords, OwnVerdict, Statement}
import lab.show.{Markup, Panel, Say, Table}

/** How far this reader is: pages opened, predictions answered, claims tried, exercises solved, and the next step. It runs no experiment,
  * and only reads the pages and what the reader's kernels have kept. `kernels/course progress` shows the same.
  *
  * {{{
  * Progress().show()
  * }}}
  */
final class Progress private[lab] (val pages: Vector[PageProgress]) {

  /** Shows how far the reader is, what comes next, and a line for each page. */
  def show(): Unit = {
    panel.show()
    table.show()
  }

  /** Describes in a sentence what to do next, with a link to it. */
  def next: String = current match {
    case None       => pages.headOption.fold("there is no page here")(first => s"open ${first.link}, where the course begins")
    case Some(page) => page.nextExercise.map(_ + orGoOn(page)).orElse(unopened(page).map(goOn)).orElse(left).getOrElse(done)
  }

  override def toString: String = panel.plain

  /** The page opened last. The first page counts only if no other was opened, because a reader who looks here has it open. */
  private def current: Option[PageProgress] = {
    val opened = pages.filter(_.opened.nonEmpty).sortBy(_.opened)
    opened.filterNot(page => pages.headOption.contains(page)).lastOption.orElse(opened.lastOption)
  }

  /** Finds the first page after this one that wasn't opened, or else the first of all. */
  private def unopened(page: PageProgress): Option[PageProgress] = {
    val (before, behind) = pages.splitAt(pages.indexOf(page))
    (behind ++ before).find(_.opened.isEmpty)
  }

  private def goOn(page: PageProgress): String = s"open ${page.link}"
  private def orGoOn(page: PageProgress): String = unopened(page).fold("")(other => s", or ${goOn(other)}")
  private def left: Option[String] = pages.flatMap(_.nextExercise).headOption
  private def done: String = {
    val ledger = pages.find(_.file.endsWith("-ledger")).fold("")(page => s": see ${page.link} for what still holds")
    s"nothing is left to do$ledger; `COURSE_PROFILE=full kernels/course lab` measures longer"
  }

  private[page] def panel: Panel = {
    val exercises = pages.flatMap(_.exercises)
    val (solved, first) = (exercises.count(_.solvedOn.nonEmpty), exercises.count(_.solvedOn.contains(1)))
    val onFirst = if (solved == 0) "" else s", $first of them on the first try"
    val tried = pages.flatMap(_.tried).distinct.size
    val mark = if (solved == exercises.size && pages.forall(_.opened.nonEmpty)) Panel.Good else Panel.Open
    Panel(
      mark,
      "Your progress",
      facts = Seq(
        "opened in JupyterLab" -> s"${pages.count(_.opened.nonEmpty)} of ${pages.size}",
        "claims tried" -> s"$tried of ${pages.flatMap(_.claims).distinct.size}",
        "predictions answered" -> s"${pages.map(_.answered).sum} of ${pages.map(_.predictions).sum}",
        "exercises solved" -> s"$solved of ${exercises.size}$onFirst",
        "next" -> s"$next."
      )
    )
  }

  private[page] def table: Table = Table(
    "Page by page",
    Seq("page", "opened", "predictions answered", "claims tried", "exercises solved", "on which try"),
    pages.map { page =>
      val solved = page.exercises.filter(_.solvedOn.nonEmpty)
      val tries = page.exercises.filter(_.tries > 0).map(one => one.solvedOn.fold(s"${one.tries} so far")(n => s"$n"))
      Seq(
        page.link,
        page.opened.fold("–")(at => s"${at.atZone(ZoneId.systemDefault).toLocalDate}"),
        Progress.of(page.answered, page.predictions),
        Progress.of(page.tried.size, page.claims.size),
        Progress.of(solved.size, page.exercises.size),
        if (tries.isEmpty) "–" else tries.mkString("; ")
      )
    }
  )
}

/** How far this reader is with one page.
  *
  * @param file      the page's file, without its ending
  * @param question  the page's title
  * @param opened    when it was last opened in JupyterLab
  * @param claims    the ids of the claims that it tries
  * @param tried     those of them that this reader's kernels have judged
  * @param exercises the exercises, in the page's order
  * @param answered  how many of its predictions the reader answered
  */
final case class PageProgress(
    file: String,
    question: String,
    opened: Option[Instant],
    claims: Vector[String],
    tried: Vector[String],
    exercises: Vector[ExerciseProgress],
    predictions: Int,
    answered: Int
) {
  private[page] def link: String = s"[${file.take(2)} · ${question.replace("`", "")}]($file.ipynb)"

  private[page] def nextExercise: Option[String] = exercises.find(_.solvedOn.isEmpty).map { one =>
    val link = s"[exercise ${one.id}]($file.ipynb#cell-id=${one.cell})"
    if (one.tries == 0) s"try $link" else s"go on with $link: of your ${Say.count(one.tries, "try", "tries")}, none has solved it yet"
  }
}

/** How far this reader is with one exercise.
  *
  * @param cell     the id of the exercise's cell
  * @param tries    how many answers were checked
  * @param solvedOn the number of the first answer that passed every case
  */
final case class ExerciseProgress(id: String, cell: String, tries: Int, solvedOn: Option[Int])

object Progress {

  /** Reads the current progress.
    *
    * @throws java.lang.IllegalStateException outside a course kernel
    */
  def apply(): Progress = {
    val home = Installation.here("progress through its pages").home
    of(CoursePage.in(home.resolve("notebooks")), OwnRecords.folder.getOrElse(home))
  }

  private[lab] def of(pages: Vector[CoursePage], kept: Path): Progress = {
    val (opened, verdicts, attempts) = (OpenedPages.in(kept), OwnVerdict.latestIn(kept), ExerciseAttempt.in(kept))
    val answered = OwnPrediction.answeredIn(kept)
    def isTried(statement: Statement): Boolean = verdicts.get(statement.id).exists(_.verdict != Verdict.NotTried("").name)
    def tries(exercise: CoursePage.ExerciseCell): ExerciseProgress = {
      val all = attempts.filter(_.exercise == exercise.id)
      val solved = all.indexWhere(_.isSolved)
      ExerciseProgress(exercise.id, exercise.cell, all.size, Option.when(solved >= 0)(solved + 1))
    }
    new Progress(pages.map { page =>
      val when = opened.filter(one => pages.filter(page => one.file.startsWith(page.name)).maxByOption(_.name.length).contains(page))
      PageProgress(
        page.name,
        page.title,
        when.map(_.at).maxOption,
        page.statements.map(_.claim.id).distinct,
        page.statements.filter(isTried).map(_.claim.id).distinct,
        page.exercises.map(tries),
        page.predictions.size,
        page.predictions.count(answered)
      )
    })
  }

  private def of(some: Int, all: Int): String = if (all == 0) "–" else s"$some of $all"

  /** Renders progress for a terminal, in which nobody clicks: a link's address comes after its words. */
  private[page] def told(progress: Progress): String =
    Seq(
      progress.panel.plain,
      progress.table.copy(rows = progress.table.rows.map(row => s"page ${withoutLinks(row.head)}" +: row.tail)).plain
    )
      .map(Markup.links.replaceAllIn(_, "$1 (notebooks/$2)").replaceAll("#cell-id=[\\w-]+\\)", ")"))
      .mkString("", "\n\n", "\n")

  private def withoutLinks(text: String): String = Markup.links.replaceAllIn(text, "$1")
}

/** The program that `kernels/course progress` runs. */
private[page] object ProgressInATerminal extends App {
  new PrintStream(System.out, true, UTF_8).print(Progress.told(Progress()))
}

package lab.page

import scala.language.implicitConversions

import java.time.ZoneId
import java.time.format.DateTimeFormatter

import lab.chart.{Bars, Chart}
import lab.results.{Kind, Measurement, OwnVerdict, Published, Record, RecordedVerdict, RecordedVerdicts, Setting, Statement}
import lab.show.{Display, Panel, Say, Table}

import scala.collection.immutable.VectorMap

/** Every statement of the articles with its result: as this reader's kernels measured it, or else as the course's recorded runs did. The
  * ledger runs no experiment.
  *
  * {{{
  * val ledger = Ledger()
  * ledger.where(verdict = "does not hold", kind = "structure").show()
  * }}}
  */
final class Ledger private[lab] (val rows: Vector[LedgerRow], left: Int, ifEmpty: => Seq[(String, String)] = Nil) {
  import Ledger.PageNumber

  /** Selects the rows that meet all given conditions. If there is none, [[show]] shows how many rows meet each condition.
    *
    * @param verdict the verdict's name: `holds`, `depends`, `does not hold`, `not decided here`, `not tried`
    * @param claim   the claim's id, such as `B3`
    * @param article the article's letter
    * @param kind    `structure`, `ratio` or `arithmetic`
    * @param page    the page's number: `4` or `"04"`
    * @param word    text, in upper or lower case, from the statement, from where it would be false, from the verdict's reason or from the
    *                page's why
    * @throws java.lang.IllegalArgumentException if there is no such verdict, claim, article or kind, or no row of such a page
    */
  def where(
      verdict: String = "",
      claim: String = "",
      article: String = "",
      kind: String = "",
      page: PageNumber = "",
      word: String = ""
  ): Ledger = {
    known("verdict", verdict, Verdict.names)
    known("claim", claim, Published.claims.map(_.id))
    known("article", article, Published.claims.map(_.id.take(1)).distinct)
    known("kind", kind, Kind.all.map(_.name))
    known("page", page.digits, rows.flatMap(_.place).map(_.page.take(2)).distinct.sorted)
    val conditions = Vector[(String, String, LedgerRow => Boolean)](
      ("verdict", verdict, _.verdict == verdict),
      ("claim", claim, _.claim.id == claim),
      ("article", article, _.article == article),
      ("kind", kind, _.kind.name == kind),
      ("page", page.digits, _.page == page.digits),
      ("word", word, _.says(word))
    ).filter(_._2.nonEmpty)
    def each = conditions.map { case (name, asked, fits) => s"$name = $asked" -> Say.count(rows.count(fits), "statement") }
    def words = Option.when(word.nonEmpty && !rows.exists(_.says(word)))("frequent words" -> usualWords.mkString(", "))
    new Ledger(rows.filter(row => conditions.forall { case (_, _, fits) => fits(row) }), left, each ++ words)
  }

  /** Selects what this reader's own kernels measured. */
  def here: Ledger = keep(_.here)

  /** Selects the statements that count: those that say what their article says, and that could have failed. */
  def counted: Ledger = keep(_.counts)

  /** Selects the statements that don't count: those that say less than their article, and those that are true by construction. */
  def uncounted: Ledger = keep(!_.counts)

  /** Returns the number of statements. */
  def size: Int = rows.size

  /** Returns the number of different claims that the rows belong to. */
  def claims: Int = rows.map(_.claim.id).distinct.size

  /** Returns the number of statements with this verdict. */
  def count(verdict: String): Int = rows.count(_.verdict == verdict)

  /** Shows all rows as a table, in the articles' order. */
  def show(caption: String = ""): Unit =
    if (rows.isEmpty && ifEmpty.nonEmpty) Panel(Panel.Open, "Nothing was found", "no statement meets all conditions", ifEmpty).show()
    else LedgerTable.show(if (caption.isEmpty) s"${Say.count(size, "statement")} of ${Say.count(claims, "claim")}" else caption, rows)

  /** Counts the verdicts in a table: first a line for each value of `by`, in order of appearance, for the statements that count; then the
    * others. The table's output also holds all rows as a record.
    */
  def table(caption: String, what: String)(by: LedgerRow => String): LedgerCounts = {
    val (built, weaker) = uncounted.rows.partition(_.statement.byConstruction.nonEmpty)
    val others = Seq("not counted: by construction" -> built, "not counted: weaker, or our own" -> weaker).collect {
      case (name, some) if some.nonEmpty => name -> new Ledger(some, left)
    }
    val sums = if (others.isEmpty) Nil else ("counted" -> counted) +: others
    new LedgerCounts(
      this,
      Table(
        caption,
        Seq(what, "claims", "statements") ++ Verdict.names,
        (counted.groups(by) ++ sums :+ ("all" -> this)).map { case (name, part) =>
          Seq(name, s"${part.claims}", s"${part.size}") ++ Verdict.names.map(verdict => s"${part.count(verdict)}")
        }
      )
    )
  }

  /** Draws a bar for each value of `by`, with every row as a part of a bar, in the colours of the panels. */
  def chart(title: String, what: String)(by: LedgerRow => String): Chart = {
    val (verdicts, hues) = Verdict.names.zip(Ledger.hues).filter { case (verdict, _) => count(verdict) > 0 }.unzip
    Chart(
      Bars.stacked(
        title,
        x = what,
        y = "statements",
        groups(by).map { case (name, part) => name -> verdicts.map(verdict => verdict -> part.count(verdict).toDouble) },
        hue = hues.toVector
      )
    )
  }

  private def groups(by: LedgerRow => String): Seq[(String, Ledger)] =
    rows.map(by).distinct.map(name => name -> keep(row => by(row) == name))

  /** Lists where this reader's verdict and that of the recorded runs differ. Rows for which both say yes or no come first. */
  def changed: Table = Table(
    if (here.rows.isEmpty) "Nothing was measured here yet"
    else {
      val unknown = here.rows.count(_.recorded.isEmpty)
      s"Of ${Say.count(here.size, "statement")} measured here, ${rows.count(_.differs)} with a verdict other than the recorded one" +
        (if (unknown == 0) "" else s"; $unknown not recorded")
    },
    Seq("claim", "statement", "recorded", "here", "measured here"),
    for {
      row <- rows.filter(_.differs).sortBy(row => Verdict.isOpen(row.verdict))
      was <- row.recorded
    } yield {
      val said = Seq(row.verdict, row.because).filter(_.nonEmpty).mkString(": ")
      Seq(row.claim.id, row.statement.shown, s"${was.verdict} (${was.share}): ${Measurement.shown(was.measured)}", said, row.measured)
    }
  )

  /** Compares with what the course recorded in other settings, and on other readers' machines. */
  def elsewhere: Elsewhere = new Elsewhere(rows, Setting.matrix, Setting.machines)

  /** Describes in a sentence where the rows come from. */
  def from: String = {
    val recorded = rows.filter(row => !row.here && row.recorded.nonEmpty)
    val parts = Seq(
      here.size -> "measured here",
      recorded.size -> "recorded",
      rows.count(!_.isMeasured) -> "neither"
    )
    val gone = if (left == 0) "" else s"; ${Say.count(left, "verdict")} left out, of statements that the course no longer has"
    parts.filter(_._1 > 0).map { case (n, how) => s"$n $how" }.mkString(", ") + gone
  }

  /** Finds the row of the statement with this id.
    *
    * @throws java.lang.IllegalArgumentException if there is none
    */
  def row(statement: String): LedgerRow = rows
    .find(_.statement.id == statement)
    .getOrElse(
      throw new IllegalArgumentException(s"no row for '$statement'; there are rows for ${rows.map(_.statement.id).mkString(", ")}")
    )

  /** Draws a finding from what was measured for a statement, with its row below. It uses what was measured here. If nothing was decided
    * here, or a measurement is missing, it uses what was recorded. If the recorded runs don't decide the statement either, there is no
    * finding and nothing is drawn.
    *
    * {{{
    * ledger.tell("C5.exceeded") { row => for (asleep <- row.value("asleep simultaneously")) yield Chart.bars(…) }
    * }}}
    *
    * @throws java.lang.IllegalArgumentException if there is no such row
    * @throws java.lang.IllegalStateException if something was recorded and decided, and `draw` lacks a measurement even there
    */
  def tell(statement: String)(draw: LedgerRow => Option[Chart]): Unit = {
    val row = this.row(statement)
    val recorded = row.recorded.map(Ledger.fromRecording(row, _)).filter(_.isDecided)
    val decided = Option.when(row.here && row.isDecided)(row) ++ recorded
    decided.iterator.flatMap(one => draw(one).map(one -> _)).nextOption() match {
      case Some((told, chart)) =>
        chart.show()
        told.panel.show()
      case None if recorded.nonEmpty =>
        throw new IllegalStateException(
          s"this cell doesn't find its measurements in what was recorded of $statement: ${recorded.get.measured}"
        )
      case None =>
        if (decided.isEmpty) Panel(Panel.Open, "Nothing is drawn", "this is decided neither here nor in the recorded runs").show()
        row.panel.show()
    }
  }

  /** Lists words that appear in many statements, the most frequent first. Short words are left out because they say little. */
  private def usualWords: Seq[String] = rows
    .flatMap(_.statement.text.toLowerCase.split("[^a-z]+").filter(_.length > 5).distinct)
    .groupMapReduce(identity)(_ => 1)(_ + _)
    .toSeq
    .sortBy { case (word, many) => (-many, word) }
    .take(12)
    .map(_._1)

  private def keep(of: LedgerRow => Boolean): Ledger = new Ledger(rows.filter(of), left)

  private def known(what: String, word: String, all: Seq[String]): Unit =
    if (word.nonEmpty && !all.contains(word))
      throw new IllegalArgumentException(s"'$word' is no $what here; there are ${all.mkString("'", "', '", "'")}")
}

object Ledger {

  /** The number of a page in two digits, or nothing. Pages write `4` or `"04"`. */
  final case class PageNumber private (digits: String)

  object PageNumber {
    implicit def ofInt(number: Int): PageNumber = new PageNumber(f"$number%02d")
    implicit def ofText(text: String): PageNumber = text.toIntOption.fold(new PageNumber(text))(ofInt)
  }

  /** Builds the ledger from the current records. */
  def apply(): Ledger = of(Published.statements, CoursePage.all, OwnVerdict.latest, RecordedVerdicts.all)

  private[lab] def of(
      statements: Vector[Statement],
      pages: Vector[CoursePage],
      own: Map[String, OwnVerdict],
      recorded: Map[String, RecordedVerdict]
  ): Ledger = {
    val rows = statements.map { statement =>
      val place = pages.iterator.flatMap(_.place(statement)).nextOption()
      val was = recorded.get(statement.id)
      val why = place.fold("no page tries it yet")(there => s"nobody has run page ${there.page.take(2)} yet")
      val blank = LedgerRow(statement, Verdict.NotTried("").name, why, Vector.empty, "", here = false, was, place)
      own.get(statement.id).map(fromHere(blank, _)).orElse(was.map(fromRecording(blank, _))).getOrElse(blank)
    }
    new Ledger(rows, own.keySet.count(id => !statements.exists(_.id == id)))
  }

  private def fromHere(blank: LedgerRow, mine: OwnVerdict): LedgerRow = blank.copy(
    verdict = mine.verdict,
    because = mine.because,
    measurements = mine.measured,
    where = s"here, ${clock.format(mine.at.atZone(ZoneId.systemDefault))}: ${mine.where}",
    here = true
  )

  private def fromRecording(row: LedgerRow, was: RecordedVerdict): LedgerRow = row.copy(
    verdict = was.verdict,
    because = was.because,
    measurements = was.measured,
    where = s"${was.where}, in ${was.share} runs",
    here = false
  )

  /** The colours of series that are nearest to the panels': green for holds, orange for depends, red for doesn't hold. */
  private val hues = Vector(2, 1, 4, 0, 3)

  private val clock = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm")
}

/** A table that counts statements by verdict. */
final class LedgerCounts private[page] (ledger: Ledger, private[page] val table: Table) {

  /** Shows the table under the running cell. */
  def show(): Unit = Display.show(bundle)

  private[page] def bundle: Map[String, String] = {
    val rows = ledger.rows.map(row =>
      VectorMap[String, Any]("statement" -> row.statement.id, "verdict" -> row.verdict, "here" -> row.here, "counts" -> row.counts)
    )
    table.bundle + (Record.mime -> s"${Record("ledger", "rows" -> rows).json}")
  }
}

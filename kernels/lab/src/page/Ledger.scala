package lab.page

import java.time.ZoneId
import java.time.format.DateTimeFormatter

import lab.chart.{Bars, Chart}
import lab.results.{Kind, Measurement, OwnVerdict, Published, Record, RecordedVerdict, RecordedVerdicts, Statement}
import lab.show.{Display, Say, Table}

import scala.collection.immutable.VectorMap

/** Every statement of the articles, with what became of it: as this reader's kernels measured it, else as the course's recorded runs did. It
  * runs nothing.
  *
  * {{{
  * val ledger = Ledger()
  * ledger.where(verdict = "does not hold", kind = "structure").show()
  * }}}
  */
final class Ledger private[lab] (val rows: Vector[LedgerRow], left: Int) {

  /** Those rows alone of which all that is given is true.
    *
    * @param verdict its name: `holds`, `depends`, `does not hold`, `not decided here`, `not tried`
    * @param claim   its id, `B3`
    * @param article its letter
    * @param kind    `structure`, `ratio` or `arithmetic`
    * @param page    its number, in two digits
    * @param word    what the statement has in its text
    * @throws java.lang.IllegalArgumentException if there is no such verdict, claim, article or kind, or no row of such a page
    */
  def where(
      verdict: String = "",
      claim: String = "",
      article: String = "",
      kind: String = "",
      page: String = "",
      word: String = ""
  ): Ledger = {
    known("verdict", verdict, Verdict.names)
    known("claim", claim, Published.claims.map(_.id))
    known("article", article, Published.claims.map(_.id.take(1)).distinct)
    known("kind", kind, Kind.all.map(_.name))
    known("page", page, rows.flatMap(_.place).map(_.page.take(2)).distinct.sorted)
    def fits(asked: String, found: String): Boolean = asked.isEmpty || asked == found
    keep(row =>
      fits(verdict, row.verdict) && fits(claim, row.claim.id) && fits(article, row.article) && fits(kind, row.kind.name) &&
        fits(page, row.page) && row.statement.text.contains(word)
    )
  }

  /** What this reader's own kernels measured. */
  def here: Ledger = keep(_.here)

  /** What counts: statements that say what their article says, and could have failed. */
  def counted: Ledger = keep(_.counts)

  /** The others: statements that say less than their article, and those that are so by construction. */
  def uncounted: Ledger = keep(!_.counts)

  /** How many statements there are. */
  def size: Int = rows.size

  /** How many different claims the rows are of. */
  def claims: Int = rows.map(_.claim.id).distinct.size

  /** How many have this verdict. */
  def count(verdict: String): Int = rows.count(_.verdict == verdict)

  /** All rows as a table, in the articles' order. */
  def show(caption: String = ""): Unit =
    LedgerTable.show(if (caption.isEmpty) s"${Say.count(size, "statement")} of ${Say.count(claims, "claim")}" else caption, rows)

  /** A table of verdicts: a line for each value of `by`, in the order in which they come. Its output holds the rows as a record, too. */
  def table(caption: String, what: String)(by: LedgerRow => String): LedgerCounts = new LedgerCounts(
    this,
    Table(
      caption,
      Seq(what, "claims", "statements") ++ Verdict.names,
      (groups(by) :+ ("all" -> this)).map { case (name, part) =>
        Seq(name, s"${part.claims}", s"${part.size}") ++ Verdict.names.map(verdict => s"${part.count(verdict)}")
      }
    )
  )

  /** The same as bars of so many sentences each, in the colours of the panels. */
  def chart(title: String, what: String)(by: LedgerRow => String): Chart = Chart(
    Bars.stacked(
      title,
      x = what,
      y = "statements",
      groups(by).map { case (name, part) => name -> Verdict.names.map(verdict => verdict -> part.count(verdict).toDouble) },
      hue = Ledger.hues
    )
  )

  private def groups(by: LedgerRow => String): Seq[(String, Ledger)] =
    rows.map(by).distinct.map(name => name -> keep(row => by(row) == name))

  /** What this reader measured and the recorded runs came to, where that isn't the same: first where both say yes or no, and not the same.
    */
  def changed: Table = Table(
    if (here.rows.isEmpty) "Nothing was measured here yet"
    else {
      val unknown = here.rows.count(_.recorded.isEmpty)
      s"Of ${Say.count(here.size, "statement")} measured here, ${rows.count(_.differs)} with another verdict than recorded" +
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

  /** Where it all comes from, in a sentence. */
  def from: String = {
    val recorded = rows.filter(row => !row.here && row.recorded.nonEmpty)
    val parts = Seq(
      here.size -> "measured here",
      recorded.size -> "recorded",
      rows.count(!_.isMeasured) -> "neither"
    )
    val gone = if (left == 0) "" else s"; ${Say.count(left, "verdict")} left out, of statements that the course has no more"
    parts.filter(_._1 > 0).map { case (n, how) => s"$n $how" }.mkString(", ") + gone
  }

  /** The row of the statement of this id.
    *
    * @throws java.lang.IllegalArgumentException if there is none
    */
  def row(statement: String): LedgerRow = rows
    .find(_.statement.id == statement)
    .getOrElse(
      throw new IllegalArgumentException(s"no row is of '$statement'; of these there are rows: ${rows.map(_.statement.id).mkString(", ")}")
    )

  /** Draws a finding from what was measured for a statement, with its row below: from what was measured here, else, where that lacks
    * something, from what was recorded.
    *
    * {{{
    * ledger.tell("C5.exceeded") { row => for (asleep <- row.value("asleep at once")) yield Chart.bars(…) }
    * }}}
    *
    * @throws java.lang.IllegalArgumentException if there is no such row
    * @throws java.lang.IllegalStateException if something was recorded, and `draw` lacks a measurement even there
    */
  def tell(statement: String)(draw: LedgerRow => Option[Chart]): Unit = {
    val row = this.row(statement)
    val recorded = row.recorded.map(Ledger.fromRecording(row, _))
    val drawn = (Option.when(row.here)(row) ++ recorded).iterator.flatMap(one => draw(one).map(one -> _)).nextOption()
    drawn match {
      case Some((told, chart)) =>
        chart.show()
        told.panel.show()
      case None if recorded.nonEmpty =>
        throw new IllegalStateException(
          s"this cell doesn't find its measurements in what was recorded of $statement: ${recorded.get.measured}"
        )
      case None => row.panel.show()
    }
  }

  private def keep(of: LedgerRow => Boolean): Ledger = new Ledger(rows.filter(of), left)

  private def known(what: String, word: String, all: Seq[String]): Unit =
    if (word.nonEmpty && !all.contains(word))
      throw new IllegalArgumentException(s"'$word' is no $what here; there are ${all.mkString("'", "', '", "'")}")
}

object Ledger {

  /** As things are now. */
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

  /** Of the colours of series, those that are nearest to the panels': green holds, orange depends, red doesn't hold. */
  private val hues = Vector(2, 1, 4, 0, 3)

  private val clock = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm")
}

/** A table of how many statements have which verdict. */
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

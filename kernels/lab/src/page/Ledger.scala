package lab.page

import java.time.ZoneId
import java.time.format.DateTimeFormatter

import lab.chart.{Bars, Chart}
import lab.results.{Kind, OwnVerdict, OwnVerdicts, Published, PublishedClaim, RecordedVerdict, RecordedVerdicts}
import lab.show.{Say, Table}

/** Every claim of the articles, in each sentence in which a page tries it, with what became of it: as this reader's kernels measured it, else
  * as the course's recorded runs did. It runs nothing.
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
    * @param claim   its id
    * @param article its letter
    * @param kind    `structure`, `ratio` or `arithmetic`
    * @param page    its number, in two digits
    * @param word    what the sentence has in it
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
        fits(page, row.page) && row.sentence.contains(word)
    )
  }

  /** What this reader's own kernels measured. */
  def here: Ledger = keep(_.here)

  /** How many sentences there are. */
  def size: Int = rows.size

  /** How many different claims the rows are of. */
  def claims: Int = rows.map(_.claim.id).distinct.size

  /** How many have this verdict. */
  def count(verdict: String): Int = rows.count(_.verdict == verdict)

  /** All rows as a table, in the articles' order. */
  def show(caption: String = ""): Unit =
    LedgerTable.show(if (caption.isEmpty) s"${Say.count(size, "sentence")} of ${Say.count(claims, "claim")}" else caption, rows)

  /** A table of verdicts: a line for each value of `by`, in the order in which they come. */
  def table(caption: String, what: String)(by: LedgerRow => String): Table = Table(
    caption,
    Seq(what, "claims", "sentences") ++ Verdict.names,
    (groups(by) :+ ("all" -> this)).map { case (name, part) =>
      Seq(name, s"${part.claims}", s"${part.size}") ++ Verdict.names.map(verdict => s"${part.count(verdict)}")
    }
  )

  /** The same as bars of so many sentences each, in the colours of the panels. */
  def chart(title: String, what: String)(by: LedgerRow => String): Chart = Chart(
    Bars.stacked(
      title,
      x = what,
      y = "sentences",
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
      s"Of ${Say.count(here.size, "sentence")} measured here, ${rows.count(_.differs)} with another verdict than recorded" +
        (if (unknown == 0) "" else s"; $unknown not recorded")
    },
    Seq("claim", "sentence", "recorded", "here", "measured here"),
    for {
      row <- rows.filter(_.differs).sortBy(row => Verdict.isOpen(row.verdict))
      was <- row.recorded
    } yield {
      val said = Seq(row.verdict, row.because).filter(_.nonEmpty).mkString(": ")
      Seq(row.claim.id, row.sentence, s"${was.verdict} (${was.share}): ${was.measured}", said, row.measured)
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
    val gone = if (left == 0) "" else s"; ${Say.count(left, "verdict")} left out, of sentences that no page has any more"
    parts.filter(_._1 > 0).map { case (n, how) => s"$n $how" }.mkString(", ") + gone
  }

  /** The one row of this claim, or the one whose sentence has `word` in it; of several the one that somebody has measured.
    *
    * @throws java.lang.IllegalArgumentException unless there is exactly one
    */
  def row(id: String, word: String = ""): LedgerRow = rows.filter(row => row.claim.id == id && row.sentence.contains(word)) match {
    case Vector(one)                                 => one
    case several if several.count(_.isMeasured) == 1 => several.filter(_.isMeasured).head
    case several =>
      val sentences = several.map(_.sentence).mkString("'", "', '", "'")
      throw new IllegalArgumentException(
        s"one row is needed; of $id${if (word.isEmpty) "" else s" with '$word'"} there are ${several.size}: $sentences"
      )
  }

  /** Draws a finding from what a row says was measured, with the row below: from what was measured here, else, where that isn't there or
    * says something else, from what was recorded.
    *
    * {{{
    * ledger.tell("C5", "exceeded") { case s"usually \${Measured(asleep)} asleep at once\$_" => Chart.bars(…) }
    * }}}
    *
    * @param word what the sentence has in it, where the claim has several
    * @throws java.lang.IllegalArgumentException unless exactly one row is meant, as of [[row]]
    * @throws java.lang.IllegalStateException if there are recorded figures, and `draw` doesn't know them
    */
  def tell(id: String, word: String = "")(draw: PartialFunction[String, Chart]): Unit = {
    val row = this.row(id, word)
    val recorded = row.recorded.map(Ledger.fromRecording(row, _))
    (Option.when(row.here)(row) ++ recorded).find(one => draw.isDefinedAt(one.measured)) match {
      case Some(told) =>
        draw(told.measured).show()
        told.panel.show()
      case None if recorded.nonEmpty =>
        throw new IllegalStateException(s"this cell can't read what was recorded of $id: ${recorded.get.measured}")
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
  def apply(): Ledger = of(Published.claims, CoursePage.all, OwnVerdicts.latest, RecordedVerdicts.all)

  private[lab] def of(
      claims: Vector[PublishedClaim],
      pages: Vector[CoursePage],
      own: Vector[OwnVerdict],
      recorded: Map[(String, String), RecordedVerdict]
  ): Ledger = {
    val byKey = own.map(one => (one.id, one.sentence) -> one).toMap
    val said = (recorded.keys.toVector ++ byKey.keys).distinct.filter { case (id, _) => claims.exists(_.id == id) }
    val places = for { key <- said; (page, place) <- placesOf(pages, key) } yield (key, page, place)
    val rows = claims.flatMap { claim =>
      val tried = places.collect { case ((claim.id, sentence), page, place) => (page, row(claim, sentence, place, byKey, recorded)) }
      val ordered = tried.sortBy { case (page, row) => (page.name, page.position(claim.id, row.sentence)) }.map(_._2)
      // A page whose sentences nobody has run says only that it tries the claim.
      val silent = pages.filter(page => page.claims.contains(claim.id) && !tried.exists(_._1 == page))
      val waiting =
        silent.map(page => untried(claim, page.place(claim.id), s"nobody has run page ${page.name.take(2)} yet"))
      if (tried.isEmpty && waiting.isEmpty) Vector(untried(claim, None, "no page tries it yet"))
      else withoutStandIns(ordered) ++ waiting
    }
    new Ledger(rows, said.size - places.map(_._1).distinct.size)
  }

  /** The pages that try a claim in these words; if none does and it is said of the whole claim, because a page can't try it, the first. */
  private def placesOf(pages: Vector[CoursePage], key: (String, String)): Vector[(CoursePage, ClaimPlace)] = {
    val (id, sentence) = key
    val exactly = for (page <- pages; place <- page.place(id, sentence)) yield (page, place)
    def somewhere = for (page <- pages; place <- page.place(id)) yield (page, place)
    if (exactly.isEmpty && sentence == Published.claim(id).statement) somewhere.take(1) else exactly
  }

  /** Where a page can't try anything of a claim, it says so in the words of the whole claim; once it has tried the parts, that is over. */
  private def withoutStandIns(rows: Vector[LedgerRow]): Vector[LedgerRow] = rows.filterNot { row =>
    row.sentence == row.claim.statement && row.verdict == "not tried" && rows.exists(other => other.page == row.page && other != row)
  }

  private def untried(claim: PublishedClaim, place: Option[ClaimPlace], because: String): LedgerRow =
    LedgerRow(claim, claim.statement, claim.kind, "not tried", because, "–", claim.published, "", here = false, None, place)

  private def row(
      claim: PublishedClaim,
      sentence: String,
      place: ClaimPlace,
      own: Map[(String, String), OwnVerdict],
      recorded: Map[(String, String), RecordedVerdict]
  ): LedgerRow = {
    val was = recorded.get((claim.id, sentence))
    val blank = untried(claim, Some(place), "").copy(sentence = sentence, recorded = was)
    own.get((claim.id, sentence)).map(mine => fromHere(blank, mine)).orElse(was.map(fromRecording(blank, _))).getOrElse(blank)
  }

  private def fromHere(blank: LedgerRow, mine: OwnVerdict): LedgerRow = blank.copy(
    kind = mine.kind,
    verdict = mine.verdict,
    because = mine.because,
    measured = mine.measured,
    published = mine.published,
    where = s"here, ${clock.format(mine.at.atZone(ZoneId.systemDefault))}: ${mine.where}",
    here = true
  )

  private def fromRecording(row: LedgerRow, was: RecordedVerdict): LedgerRow = row.copy(
    kind = was.kind.getOrElse(row.claim.kind),
    verdict = was.verdict,
    because = was.because,
    measured = was.measured,
    published = if (was.published.isEmpty) row.claim.published else was.published,
    where = s"${was.where}, in ${was.share} runs",
    here = false
  )

  /** Of the colours of series, those that are nearest to the panels': green holds, orange depends, red doesn't hold. */
  private val hues = Vector(2, 1, 4, 0, 3)

  private val clock = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm")
}

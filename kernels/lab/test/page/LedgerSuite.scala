package lab.page

import java.time.Instant

import lab.chart.Chart
import lab.results.{Kind, OwnVerdict, Published, RecordedVerdict, RecordedVerdicts}

class LedgerSuite extends munit.FunSuite {
  import CoursePage.Cell

  private val pages = Vector(
    new CoursePage(
      "04-blocking",
      Vector(
        Cell("who", isCode = false, "## Who starts?"),
        Cell("who-claim", isCode = true, "Claim(\"B1\", \"as many as CPUs\")\nClaim(\"B8\", \"many times\")\nClaim(\"B8\", \"hardly\")"),
        Cell("who-why", isCode = false, "### Why\nFor want of threads. Indeed.")
      )
    )
  )
  private val claims = Vector("B1", "B8", "B9").map(Published.claim)

  private def recorded(sentence: String, verdict: String, measured: String, claim: String = "B1") =
    (claim, sentence) -> RecordedVerdict(verdict, "10/10", measured, "recorded on a machine, 2026-11-22")

  private def own(sentence: String, verdict: String, measured: String, claim: String = "B1") = OwnVerdict(
    claim,
    sentence,
    Kind.Structure,
    verdict,
    "",
    measured,
    "as many",
    "2 CPUs, JDK 25",
    Instant.parse("2026-11-23T10:00:00Z")
  )

  private def ledger(own: OwnVerdict*)(recorded: ((String, String), RecordedVerdict)*): Ledger =
    Ledger.of(claims, pages, own.toVector, recorded.toMap)

  test("every claim is tried by a page") {
    val tried = CoursePage.all.flatMap(_.claims)
    assert(tried.nonEmpty)
    assertEquals(Published.claims.map(_.id).filterNot(tried.contains), Vector.empty[String])
  }

  test("every sentence that was recorded has a why on its page") {
    val all =
      for { page <- CoursePage.all; (id, sentence) <- RecordedVerdicts.all.keys; place <- page.place(id, sentence) } yield (
        s"${page.name} $id: $sentence",
        place.why
      )
    assert(all.sizeIs > 60, all.size)
    assertEquals(all.filter(_._2.length < 20), Vector.empty[(String, String)])
  }

  test("every sentence that was recorded is one that a page tries, in these words") {
    val pages = CoursePage.all
    val lost = RecordedVerdicts.all.keys.filterNot { case (id, sentence) =>
      sentence == Published.claim(id).statement || pages.exists(_.position(id, sentence).nonEmpty)
    }
    assertEquals(lost.toVector, Vector.empty[(String, String)])
  }

  test("what this reader measured stands before what was recorded; a claim that nobody has run says so") {
    val found =
      ledger(own("as many as CPUs", "depends", "3"))(recorded("as many as CPUs", "holds", "2"), recorded("many times", "holds", "9", "B8"))
    assertEquals(
      found.rows.map(row => (row.claim.id, row.verdict, row.here)),
      Vector(("B1", "depends", true), ("B8", "holds", false), ("B9", "not tried", false))
    )
    assertEquals(found.rows.map(_.why), Vector("For want of threads.", "For want of threads.", ""))
    assertEquals(found.rows.map(_.because).last, "no page tries it yet")
    assertEquals(found.rows.head.where.takeRight(16), ": 2 CPUs, JDK 25")
    assertEquals(ledger()().rows.map(_.because), Vector("nobody has run page 04 yet", "nobody has run page 04 yet", "no page tries it yet"))
    assertEquals(found.from, "1 measured here, 1 recorded, 1 neither")
  }

  test("a verdict on a sentence that no page has any more is left out, and counted") {
    val found = ledger(own("in other words", "holds", "3"))(recorded("as many as CPUs", "holds", "2"))
    assertEquals(found.rows.map(_.sentence).take(1), Vector("as many as CPUs"))
    assert(found.from.endsWith("1 verdict left out, of sentences that no page has any more"), found.from)
  }

  test("that a claim couldn't be tried as a whole counts only where none of its parts was") {
    val whole = Published.claim("B8").statement
    assertEquals(ledger(own(whole, "not tried", "–", "B8"))().where(page = "04", word = whole).size, 1)
    assertEquals(
      ledger(own(whole, "not tried", "–", "B8"), own("hardly", "holds", "1", "B8"))().rows.filter(_.claim.id == "B8").map(_.sentence),
      Vector("hardly")
    )
  }

  test("where nothing was decided here, what was recorded stands beside it") {
    def beside(verdict: String) =
      ledger(own("as many as CPUs", verdict, "3"))(recorded("as many as CPUs", "holds", "2")).row("B1").beside
    assertEquals(
      Seq("not decided here", "not tried", "depends", "holds").map(beside),
      Seq("holds in 10/10 runs", "holds in 10/10 runs", "", "")
    )
  }

  test("the row of a claim is the one that somebody has measured; of two such, the word says which") {
    val both = ledger()(recorded("many times", "holds", "1", "B8"), recorded("hardly", "depends", "2", "B8"))
    assertEquals(both.row("B8", "hardly").measured, "2")
    assertEquals(
      intercept[IllegalArgumentException](both.row("B9", "never")).getMessage,
      "one row is needed; of B9 with 'never' there are 0: ''"
    )
  }

  test("the filter keeps what fits all that is asked, and refuses what there isn't") {
    val found = ledger()(recorded("as many as CPUs", "holds", "2"), recorded("many times", "does not hold", "1", "B8"))
    assertEquals(found.where(verdict = "does not hold", kind = "ratio").rows.map(_.claim.id), Vector("B8"))
    assertEquals(found.where(article = "B", verdict = "holds", page = "04").size, 1)
    assertEquals(found.where(claim = "B8").rows.map(_.sentence), Vector("many times"))
    assertEquals(found.where(article = "A").size, 0)
    for (
      wrong <- Seq[Ledger => Any](
        _.where(verdict = "true"),
        _.where(claim = "B0"),
        _.where(article = "Z"),
        _.where(kind = "size"),
        _.where(page = "99")
      )
    )
      assert(intercept[IllegalArgumentException](wrong(found)).getMessage.contains("there are"))
  }

  test("counts by whatever rows have") {
    val found = ledger()(
      recorded("as many as CPUs", "holds", "2"),
      recorded("many times", "holds", "1", "B8"),
      recorded("hardly", "depends", "1", "B8")
    )
    val table = found.table("by kind", "kind")(_.kind.name)
    assertEquals(table.rows.map(_.take(4)), Vector(Seq("structure", "2", "2", "1"), Seq("ratio", "1", "2", "1"), Seq("all", "3", "4", "2")))
    assert(found.chart("t", "article")(_.article).plain.contains("not tried"))
  }

  test("what changed: only what was measured here and came out otherwise") {
    val before = Seq(recorded("as many as CPUs", "holds", "2"), recorded("many times", "holds", "9", "B8"))
    assertEquals(ledger()(before: _*).changed.caption, "Nothing was measured here yet")
    val found = ledger(own("as many as CPUs", "depends", "3"), own("many times", "holds", "8", "B8"))(before: _*).changed
    assertEquals(found.rows.map(_.take(4)), Vector(Seq("B1", "as many as CPUs", "holds (10/10): 2", "depends")))
    assertEquals(found.caption, "Of 2 sentences measured here, 1 with another verdict than recorded")
    assert(ledger(own("hardly", "holds", "1", "B8"))(before: _*).changed.caption.endsWith("; 1 not recorded"))
  }

  test("a finding is drawn from what was measured here, else from what was recorded; figures that nobody can read are a fault") {
    def told(of: Ledger) = ClaimSuite.shown(of.tell("B1") { case s"${Measured(n)} at once" =>
      Chart.bars(s"${n.value.toInt} were seen", "pool", "tasks")(Seq("global" -> n.value))
    })
    assert(
      told(ledger(own("as many as CPUs", "holds", "3 at once"))(recorded("as many as CPUs", "holds", "2 at once"))).contains("3 were seen")
    )
    val fallback = told(ledger(own("as many as CPUs", "not tried", "–"))(recorded("as many as CPUs", "holds", "2 at once")))
    assert(fallback.contains("2 were seen") && fallback.contains("recorded on a machine"), fallback)
    assert(told(ledger()()).contains("nobody has run page 04 yet"))
    intercept[IllegalStateException](told(ledger()(recorded("as many as CPUs", "holds", "two"))))
    assert(
      intercept[IllegalArgumentException](
        ledger()(recorded("many times", "holds", "1", "B8"), recorded("hardly", "holds", "1", "B8")).tell("B8")(PartialFunction.empty)
      ).getMessage.contains("there are 2: 'many times', 'hardly'")
    )
  }

  test("as a table: headers for columns and rows, a link to the section, what is long folded, no script") {
    val long = "`a. b` " * 60
    val html = LedgerTable.html("all of it", ledger()(recorded("as many as CPUs", "holds", long)).rows)
    assert(html.contains("<th scope=\"col\"") && html.contains("<th scope=\"row\""), html)
    assert(html.contains("<a href=\"04-blocking.ipynb#cell-id=who\">04 · Who starts?</a>"), html)
    assert(html.contains("<details><summary") && !html.contains("<script"), html)
    assertEquals("<code>".r.findAllIn(html).size, "</code>".r.findAllIn(html).size)
    assertEquals(LedgerTable.folded("short"), "short")
  }
}

package lab.page

import java.time.Instant

import com.google.gson.JsonParser

import lab.chart.Chart
import lab.measure.Estimate
import lab.results.{Measurement, OwnVerdict, Published, Record, RecordedVerdict, RecordedVerdicts}

import scala.jdk.CollectionConverters._

class LedgerSuite extends munit.FunSuite {
  import CoursePage.Cell

  private val (asCpus, many, stealing) = ("B1.as-many-as-cpus", "B8.many-times", "B9.stealing")
  private val statements = Vector(asCpus, many, stealing).map(Published.statement)
  private val pages = Vector(
    new CoursePage(
      "04-blocking",
      Vector(
        Cell("who", isCode = false, "## Who starts?"),
        Cell("who-claim", isCode = true, s"Claim(\"$asCpus\")\nClaim(\"$many\")"),
        Cell("who-why", isCode = false, s"### Why\nFor want of threads.<!-- why $asCpus --><!-- why $many --> Indeed.")
      )
    )
  )

  private def recorded(statement: String, verdict: String, measured: Measurement*) =
    RecordedVerdict(statement, verdict, "", 10, 10, measured.toVector, "a machine", Instant.parse("2026-11-22T10:00:00Z"))

  private def own(statement: String, verdict: String, measured: Measurement*) =
    OwnVerdict(statement, verdict, "", measured.toVector, "", "2 CPUs, JDK 25", Instant.parse("2026-11-23T10:00:00Z"))

  private def ledger(own: OwnVerdict*)(recorded: RecordedVerdict*): Ledger =
    Ledger.of(statements, pages, own.map(one => one.statement -> one).toMap, recorded.map(one => one.statement -> one).toMap)

  test("every claim has a statement; every statement is tried by a page, which says why, and was recorded with a measurement") {
    val (all, recorded) = (CoursePage.all, RecordedVerdicts.all)
    assertEquals(Published.claims.filterNot(claim => Published.statements.exists(_.claim == claim)).map(_.id), Vector.empty[String])
    val amiss = Published.statements.flatMap { statement =>
      val (id, names) = (statement.id, all.filter(_.names(statement)).map(_.name))
      def untried = all.forall(_.place(statement).isEmpty)
      def because = all.flatMap(_.place(statement)).map(_.why)
      if (names.isEmpty) Some(s"$id: no page has it in its code")
      else if (untried) Some(s"$id stands in the code of ${names.mkString(", ")}, but in no text there stands <!-- why $id -->")
      else if (because.exists(_.length < 20)) Some(s"$id: <!-- why $id --> stands behind no sentence: '${because.mkString("', '")}'")
      else if (!recorded.get(id).exists(_.measured.nonEmpty))
        Some(s"$id isn't recorded: COURSE_RECORD=\"the machine, in words\" kernels/course verdicts 3 ${names.head.take(2)} --record")
      else None
    }
    assertEquals(amiss.mkString("\n"), "")
    assertEquals(recorded.keySet.diff(Published.statements.map(_.id).toSet), Set.empty[String])
    assertEquals(recorded.values.map(_.verdict).toSet.diff(Verdict.names.toSet), Set.empty[String])
  }

  test("the reader's own measurement takes precedence over the recorded one; a statement that nobody has run says so") {
    val found =
      ledger(own(asCpus, "depends", "asleep" -> 3))(recorded(asCpus, "holds", "asleep" -> 2), recorded(many, "holds", "ratio" -> 9))
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

  test("a verdict on a statement that the course no longer has is left out, and counted") {
    val found = ledger(own("B1.in-other-words", "holds"))(recorded(asCpus, "holds"))
    assert(found.from.endsWith("1 verdict left out, of statements that the course no longer has"), found.from)
  }

  test("if nothing was decided here, the recorded verdict is shown next to it") {
    def beside(verdict: String) = ledger(own(asCpus, verdict))(recorded(asCpus, "holds", "asleep" -> 2)).row(asCpus).beside
    assertEquals(
      Seq("not decided here", "not tried", "depends", "holds").map(beside),
      Seq("holds in 10/10 runs; asleep: 2", "holds in 10/10 runs; asleep: 2", "", "")
    )
  }

  test("a row has its numbers and its facts by their names") {
    val row = ledger()(recorded(asCpus, "holds", "asleep" -> Estimate(2, 1, 3), "on" -> "cells")).row(asCpus)
    assertEquals((row.value("asleep"), row.fact("on")), (Some(Estimate(2, 1, 3)), Some("cells")))
    assertEquals((row.value("on"), row.fact("asleep"), row.value("awake")), (None, None, None))
    assertEquals(row.measured, "asleep: 2.00 (1.00 to 3.00); on: cells")
    assert(intercept[IllegalArgumentException](ledger()().row("B8.never")).getMessage.contains(many))
  }

  test("the filter keeps the rows that meet all conditions, and refuses unknown values") {
    val found = ledger()(recorded(asCpus, "holds"), recorded(many, "does not hold"))
    assertEquals(found.where(verdict = "does not hold", kind = "ratio").rows.map(_.claim.id), Vector("B8"))
    assertEquals(found.where(article = "B", verdict = "holds", page = "04").size, 1)
    assertEquals(found.where(word = "many times").rows.map(_.statement.id), Vector(many))
    assertEquals(Seq(found.where(page = 4), found.where(page = "4"), found.where(page = "04")).map(_.size), Seq(2, 2, 2))
    assertEquals(found.where(word = "WANT of threads").rows.map(_.statement.id), Vector(asCpus, many))
    assertEquals(found.where(article = "A").size, 0)
    for (
      wrong <- Seq[Ledger => Any](
        _.where(verdict = "true"),
        _.where(claim = "B0"),
        _.where(article = "Z"),
        _.where(kind = "size"),
        _.where(page = "99"),
        _.where(page = 99)
      )
    )
      assert(intercept[IllegalArgumentException](wrong(found)).getMessage.contains("there are"))
  }

  test("if nothing fits, it says so, with each condition's count; for an unknown word it lists frequent ones") {
    val found = ledger()(recorded(asCpus, "holds"), recorded(many, "does not hold"))
    val both = ClaimSuite.shown(found.where(verdict = "holds", kind = "ratio").show())
    assert(both.startsWith("– Nothing was found: no statement meets all conditions"), both)
    assert(Seq("verdict = holds +1 statement\\b", "kind = ratio +1 statement\\b").forall(_.r.findFirstIn(both).nonEmpty), both)
    assert(!both.contains("frequent words"), both)
    val none = ClaimSuite.shown(found.where(word = "quark").show())
    assert("word = quark +0 statements".r.findFirstIn(none).nonEmpty && none.contains("frequent words  blocking, "), none)
  }

  test("rows can be counted by anything that they have; the table's output holds each verdict as a record") {
    val found = ledger()(recorded(asCpus, "holds"), recorded(many, "depends"))
    val counts = found.table("by kind", "kind")(_.kind.name)
    assertEquals(
      counts.table.rows.map(_.take(5)),
      Vector(Seq("structure", "2", "2", "1", "0"), Seq("ratio", "1", "1", "0", "1"), Seq("all", "3", "3", "1", "1"))
    )
    assert(found.chart("t", "article")(_.article).plain.contains("not tried"))
    val rows = JsonParser.parseString(counts.bundle(Record.mime)).getAsJsonObject.getAsJsonArray("rows")
    assertEquals(s"${rows.get(1)}", s"""{"statement":"$many","verdict":"depends","here":false,"counts":true}""")
  }

  test("a table counts what counts, then the others; its record says which are which") {
    val all = Vector(statements.head, statements(1).copy(byConstruction = "so it is built"), statements(2).copy(weaker = "yes"))
    val counts = Ledger.of(all, pages, Map.empty, Map(many -> recorded(many, "holds"))).table("t", "article")(_.article)
    val expected =
      Seq("B" -> "0", "counted" -> "0", "not counted: by construction" -> "1", "not counted: weaker, or our own" -> "0", "all" -> "1")
    assertEquals(counts.table.rows.map(row => row.head -> row(3)), expected.toVector)
    val rows = JsonParser.parseString(counts.bundle(Record.mime)).getAsJsonObject.getAsJsonArray("rows").asScala
    assertEquals(rows.map(_.getAsJsonObject.get("counts").getAsBoolean).toSeq, Seq(true, false, false))
  }

  test("a row says where its statement would be false; one that is true by construction says so and doesn't count") {
    val could = statements.head.copy(falseWhere = "a pool of 50", byConstruction = "")
    val never = statements(1).copy(falseWhere = "", byConstruction = "the pool is built with that size")
    val narrow = statements(2).copy(weaker = "yes", byConstruction = "")
    val found = Ledger.of(Vector(could, never, narrow), pages, Map.empty, Map.empty)
    assertEquals(found.counted.rows.map(_.statement.id), Vector(asCpus))
    assertEquals(found.uncounted.rows.map(_.statement.id), Vector(many, stealing))
    val says = "the set-up decides the verdict here, so it doesn't count: the pool is built with that size"
    for (text <- Seq(found.rows.map(_.panel.plain).mkString("\n"), LedgerTable.html("all", found.rows))) {
      assert("would be false where:? +a pool of 50".r.findFirstIn(text).nonEmpty, text)
      assert(s"by construction:? +$says".r.findFirstIn(text).nonEmpty, text)
    }
  }

  test("what changed: only statements that were measured here with another verdict") {
    val before = Seq(recorded(asCpus, "holds", "asleep" -> 2), recorded(many, "holds"))
    assertEquals(ledger()(before: _*).changed.caption, "Nothing was measured here yet")
    val found = ledger(own(asCpus, "depends", "asleep" -> 3), own(many, "holds"))(before: _*).changed
    val text = Published.statement(asCpus).text
    assertEquals(found.rows.map(_.take(4)), Vector(Seq("B1", text, "holds (10/10): asleep: 2", "depends")))
    assertEquals(found.caption, "Of 2 statements measured here, 1 with a verdict other than the recorded one")
    assert(ledger(own(stealing, "holds"))(before: _*).changed.caption.endsWith("; 1 not recorded"))
  }

  test("a finding is drawn from the reader's own measurement or else the recorded one; an incomplete recording is an error") {
    def told(of: Ledger) = ClaimSuite.shown(of.tell(asCpus) { row =>
      row.value("asleep").map(n => Chart.bars(s"${n.value.toInt} were seen", "pool", "tasks")(Seq("global" -> n.value)))
    })
    assert(told(ledger(own(asCpus, "holds", "asleep" -> 3))(recorded(asCpus, "holds", "asleep" -> 2))).contains("3 were seen"))
    val fallback = told(ledger(own(asCpus, "not tried"))(recorded(asCpus, "holds", "asleep" -> 2)))
    assert(fallback.contains("2 were seen") && fallback.contains("recorded on a machine"), fallback)
    assert(told(ledger(own(asCpus, "not decided here", "asleep" -> 3))(recorded(asCpus, "holds", "asleep" -> 2))).contains("2 were seen"))
    val open = told(ledger(own(asCpus, "not decided here", "asleep" -> 3))(recorded(asCpus, "not tried", "asleep" -> 2)))
    assert(open.contains("is decided neither here nor in the recorded runs") && !open.contains("were seen"), open)
    assert(told(ledger()()).contains("nobody has run page 04 yet"))
    assert(intercept[IllegalStateException](told(ledger()(recorded(asCpus, "holds", "awake" -> 2)))).getMessage.contains("awake"))
  }

  test("as a table: headers for columns and rows, a link to the section, what is long folded, no script") {
    val long = "`a. b` " * 60
    val html = LedgerTable.html("all of it", ledger()(recorded(asCpus, "holds", "found" -> long)).rows)
    assert(html.contains("<th scope=\"col\"") && html.contains("<th scope=\"row\""), html)
    assert(html.contains("<a href=\"04-blocking.ipynb#cell-id=who\">04 · Who starts?</a>"), html)
    assert(html.contains("<details><summary") && !html.contains("<script"), html)
    assertEquals("<code>".r.findAllIn(html).size, "</code>".r.findAllIn(html).size)
    assertEquals(LedgerTable.folded("short"), "short")
  }
}

package lab

import java.io.ByteArrayOutputStream

class ClaimSuite extends munit.FunSuite {

  private def shown(body: => Unit): String = ClaimSuite.shown(body)
  private val claim = Claim("B3", "a fixed pool does not hear `blocking`", measured = 2, published = "exactly 2 (Scala 2.12)")

  test("a structural claim that holds shows measured, published and this machine") {
    val text = shown(claim.must(2 == 2))
    assert(text.startsWith("✓ B3 holds: a fixed pool"), text)
    assert(Seq("measured   2", "published  exactly 2 (Scala 2.12)", s"JDK ${Runtime.version.feature}").forall(text.contains(_)), text)
  }

  test("one that doesn't is shown, and then fails the page") {
    val text = shown {
      val message = intercept[ClaimFailed](claim.must(2 == 3)).getMessage
      assert(message.contains("B3 does not hold") && message.contains("measured: 2"), message)
    }
    assert(text.startsWith("✗ B3 does not hold"), text)
  }

  test("a check that fails itself leaves the claim not tried, and the exception passes on") {
    val text = shown { intercept[ArithmeticException](claim.must(1 / "".length == 0)); () }
    assert(
      text.startsWith("– B3 not tried: a fixed") && text.contains("because    the check itself failed with java.lang.ArithmeticException"),
      text
    )
  }

  test("a claim that can't be tried says why, and fails nothing") {
    val text = shown(claim.notTried("there is no second JDK"))
    assert(text.startsWith("– B3 not tried: a fixed") && text.contains("because    there is no second JDK"), text)
  }

  test("a ratio: direction, size, and neither") {
    def verdict(measured: Double, published: Double) = Claim.compare(measured, published, within = 2, margin = 1.25).name
    val cases = Seq(
      (3.5, 3.5) -> "holds",
      (1.8, 3.5) -> "holds",
      (6.9, 3.5) -> "holds",
      (1.4, 3.5) -> "depends",
      (20.0, 3.5) -> "depends",
      (1.2, 3.5) -> "does not hold",
      (0.9, 3.5) -> "does not hold",
      (0.3, 3.5) -> "does not hold",
      (0.3, 0.28) -> "holds",
      (0.7, 0.28) -> "depends",
      (2.0, 0.28) -> "does not hold"
    )
    for (((measured, published), expected) <- cases) assertEquals(verdict(measured, published), expected, s"$measured against $published")
  }

  test("where only the direction is published, any size will do") {
    assertEquals(Claim.compare(400, 2, Double.PositiveInfinity, 1.25), Verdict.Holds)
  }

  test("a ratio of nothing is refused") {
    intercept[IllegalArgumentException](claim.ratio("a" -> 1, "b" -> 0, published = 2))
    intercept[IllegalArgumentException](claim.ratio("a" -> 1, "b" -> Double.NaN, published = 2))
    intercept[IllegalArgumentException](claim.ratio("a" -> 1, "b" -> 1, published = 2, margin = 0.5))
  }

  test("a timing claim never fails the page, and words its own ratio") {
    val text = shown(Claim("A12", "global loses").ratio("global" -> 2, "single" -> 4, published = 3.5))
    assert(text.startsWith("✗ A12 does not hold: global loses") && text.contains("because    it is the other way round"), text)
    assert(text.contains("global / single = 0.50") && text.contains("global / single = 3.50; 100 maps"), text)
    val direction = shown(Claim("A5", "one is faster").ratio("far" -> 3, "near" -> 1, published = 2, within = Double.PositiveInfinity))
    assert(direction.contains("far / near above 1; no figure (Komanov 2020") && direction.startsWith("✓"), direction)
  }

  test("what was published is taken from the course's data, with its source") {
    def published(claim: Claim) = claim.row(Verdict.Holds).get("published").getAsString
    val figure = published(Claim("B3", "a fixed pool does not hear `blocking`"))
    assert(figure.contains("fixed pool of 2: 2 tasks (exactly)") && figure.endsWith("(Konieczny 2018, Scala 2.12, JDK 8)"), figure)
    assertEquals(published(Claim("A2", "threads fight")), "no figure (Komanov 2020, Scala 2.12)")
    val some = published(Claim("B8", "with and without", published = Published("B8").filter(_.quantity.startsWith("average"))))
    assert(some.contains("12.241 ± 1.094 ms") && !some.contains("ops/ms") && some.endsWith("machine not said)"), some)
  }

  test("an id that the course doesn't know is refused, with those that it knows") {
    val message = intercept[IllegalArgumentException](Claim("Z1", "never told")).getMessage
    assert(message.contains("'Z1'") && message.contains("A21") && message.contains("claims.csv"), message)
  }

  test("the ledger's row: the verdict alone in its field, the reason among the conditions") {
    val row = claim.row(Verdict.Depends("the JDK"))
    assertEquals(row.get("verdict").getAsString, "depends")
    assert(row.get("conditions").getAsString.startsWith("the JDK; "), row)
    assertEquals(row.keySet.size, 6)
  }

  private val score = JmhScore("cell.A.x", "avgt", Map.empty, "2.13.18", "25.0.2", 1, 0.1, "us/op")
  private val live = new JmhResults(Vector(score))
  private val recorded = new JmhResults(Vector(score.copy(jdk = "21.0.8", recording = Some(RecordedSuite.recording))))

  test("a claim from what is recorded says so, with that machine in place of this one") {
    val conditions = "recorded on a quiet test machine, 2026-11-21: 64 CPUs, JDK 21, Scala 2.13.18, profile full"
    val here = Machine.here().toString
    val text = shown(claim.copy(from = recorded).must(true))
    assert(text.contains(conditions) && !text.contains(here), text)
    val row = claim.copy(from = recorded).row(Verdict.Depends("the JDK"))
    assertEquals(row.get("conditions").getAsString, s"the JDK; $conditions")
    assertEquals(claim.copy(from = live).row(Verdict.Holds).get("conditions").getAsString, here)
    assertEquals(claim.copy(from = live ++ recorded).row(Verdict.Holds).get("conditions").getAsString, s"$here; $conditions")
    assert(shown(Claim("A12", "global loses", from = recorded).ratio("global" -> 2, "single" -> 4, published = 3.5)).contains(conditions))
  }

  test("the table of this kernel marks the verdicts that come from what is recorded") {
    shown {
      Claim("A5", "seen here", from = live).must(true)
      Claim("A5", "seen elsewhere", from = recorded).must(true)
    }
    def verdict(sentence: String) = Claim.table.rows.filter(_(1) == sentence).map(_.last)
    assertEquals((verdict("seen here"), verdict("seen elsewhere")), (Vector("holds"), Vector("holds (recorded)")))
  }

  test("the table of this kernel holds each claim once, with its latest verdict") {
    shown {
      Claim("A2", "told twice").notTried("not yet")
      Claim("A2", "told twice").must(true)
      Claim("A2", "told once").notTried("never")
    }
    assertEquals(
      Claim.table.rows.filter(_.head == "A2"),
      Vector(Seq("A2", "told twice", "holds"), Seq("A2", "told once", "not tried"))
    )
  }

  test("a panel is escaped and says in words what its colour says") {
    val html = Claim("B9", "a < b & \"c\" in `f[A]`").panel(Verdict.DoesNotHold("no")).html
    assert(html.contains("a &lt; b &amp; \"c\" in <code>f[A]</code>") && html.contains("aria-label=\"B9 does not hold\""), html)
  }
}

object ClaimSuite {

  /** What `body` shows, as plain text. */
  def shown(body: => Unit): String = {
    val printed = new ByteArrayOutputStream
    Console.withOut(printed)(body)
    printed.toString("UTF-8")
  }
}

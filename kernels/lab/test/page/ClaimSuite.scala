package lab.page

import java.io.ByteArrayOutputStream

import lab.results.RecordedSuite
import lab.machine.Machine
import lab.measure.{Estimate, Proof, Threshold}
import lab.results.{JmhResults, JmhScore, Published}

class ClaimSuite extends munit.FunSuite {

  private def shown(body: => Unit): String = ClaimSuite.shown(body)
  private val claim = Claim("B3", "a fixed pool does not hear `blocking`", measured = 2, published = "exactly 2 (Scala 2.12)")

  test("what a page expects of itself: silent where it is so, else it names what it found and what to do") {
    assertEquals(ClaimSuite.shown(Expect(holds = true, fail("not asked"))), "")
    val said = intercept[NotAsExpected](Expect(holds = false, "3 asleep")).getMessage
    assert(Seq("3 asleep", "If you changed a cell", "If you changed nothing").forall(said.contains(_)), said)
  }

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

  private def between(low: Double, high: Double) = Estimate(math.sqrt(low * high), low, high, "×")

  test("a ratio: direction, size, neither, and what its bounds leave open") {
    def verdict(low: Double, high: Double, published: Double) =
      Claim.compare(between(low, high), published, within = 2, Threshold.aboutEqual).name
    val cases = Seq(
      (3.4, 3.6, 3.5) -> "holds",
      (1.8, 6.9, 3.5) -> "holds",
      (1.3, 1.6, 3.5) -> "depends",
      (19.0, 21.0, 3.5) -> "depends",
      (1.1, 1.2, 3.5) -> "does not hold",
      (0.2, 0.4, 3.5) -> "does not hold",
      (0.2, 1.2, 3.5) -> "does not hold",
      (1.2, 1.4, 3.5) -> "not decided here",
      (0.2, 3.5, 3.5) -> "not decided here",
      (1.5, 2.0, 3.5) -> "not decided here",
      (0.25, 0.33, 0.28) -> "holds",
      (0.6, 0.75, 0.28) -> "depends",
      (0.7, 0.9, 0.28) -> "not decided here",
      (1.9, 2.1, 0.28) -> "does not hold",
      (0.11, 0.39, 0.2) -> "holds"
    )
    for (((low, high, published), expected) <- cases) {
      assertEquals(verdict(low, high, published), expected, s"$low to $high against $published")
      assertEquals(verdict(1 / high, 1 / low, 1 / published), expected, s"$low to $high against $published, the other way round")
    }
  }

  test("a ratio published below 1: a bound at or below zero is no upper bound of what it is the other way round") {
    for (low <- Seq(0.0, -0.1)) {
      val verdict = Claim.compare(Estimate(0.3, low, 0.5, "×"), 0.28, within = 2, Threshold.aboutEqual)
      assertEquals(verdict.name, "not decided here", s"from $low")
      assert(verdict.because.contains("the direction is the published one"), verdict.because)
    }
  }

  test("where only the direction is published, any size will do") {
    assertEquals(Claim.compare(between(390, 410), 2, Double.PositiveInfinity, Threshold.aboutEqual), Verdict.Holds)
  }

  test("a ratio of nothing is refused, and a threshold that comes from nowhere") {
    intercept[IllegalArgumentException](claim.ratio("a / b", between(1, 2), published = 0))
    intercept[IllegalArgumentException](claim.ratio("a / b", Estimate(0, -1, 1), published = 2))
    intercept[IllegalArgumentException](claim.ratio("a / b", between(1, 2), published = 2, apart = Threshold(0.5, "a joke")))
    assert(intercept[IllegalArgumentException](Threshold(2, " ")).getMessage.contains("where it comes from"))
  }

  test("a timing claim never fails the page, and words its own ratio") {
    val text = shown(Claim("A12", "global loses").ratio("global / single", between(0.45, 0.55), published = 3.5))
    assert(text.startsWith("✗ A12 does not hold: global loses") && text.contains("because    it is the other way round"), text)
    assert(text.contains("global / single × 0.497 (0.450 to 0.550)") && text.contains("global / single × 3.50; 100 maps"), text)
    val direction =
      shown(Claim("A5", "one is faster").ratio("far / near", between(2.9, 3.1), published = 2, within = Double.PositiveInfinity))
    assert(direction.contains("far / near above 1; no figure (Komanov 2020") && direction.startsWith("✓"), direction)
  }

  test("what the errors of a run leave open is not decided, and says against which threshold") {
    // The smart map beside the direct context, 3.8 ± 4.9 and 3.6 ± 0.4 µs.
    val unlucky = Estimate(3.6, 3.2, 4.0).over(Estimate(3.8, -1.1, 8.7))
    val text = shown(Claim("A13", "a smart map beats even the direct context").ratio("direct / smart", unlucky, published = 2.4))
    assert(text.startsWith("– A13 not decided here"), text)
    assert(text.contains("× 0.947") && text.contains("threshold 1.25, the course's own"), text)
  }

  test("a verdict by an interval: above, below, or neither") {
    def verdict(low: Double, high: Double) =
      Verdict.by(between(low, high), Threshold(2, "the article"))(above = Verdict.Holds, below = Verdict.DoesNotHold("less"))
    assertEquals(Seq(verdict(2.1, 3), verdict(1, 1.9)), Seq(Verdict.Holds, Verdict.DoesNotHold("less")))
    assert(verdict(1.9, 2.1).because.contains("threshold 2.00, the article"))
  }

  test("of several propositions the one that says most counts") {
    val (no, open, depends) = (Verdict.DoesNotHold("no"), Verdict.Undecided("wide"), Verdict.Depends("on it"))
    assertEquals(Verdict.all(Verdict.Holds, Verdict.Holds), Verdict.Holds)
    assertEquals(Verdict.all(Verdict.Holds, depends), depends)
    assertEquals(Verdict.all(depends, open, Verdict.Holds), open)
    assertEquals(Verdict.all(open, no, depends), no)
  }

  test("what rests on an instrument that failed its proof isn't tried, whatever came out") {
    val failed = Proof.failed("work of 4 ms took 0.5 ms")
    val text = shown {
      claim.provided(failed).must(2 == 3)
      claim.provided(failed).grade(Verdict.Holds)
    }
    assertEquals("– B3 not tried".r.findAllIn(text).size, 2, text)
    assert(text.contains("work of 4 ms took 0.5 ms"), text)
    assert(shown(claim.provided(Proof.passed("1 ms took 1.01")).must(true)).startsWith("✓"))
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
    assertEquals((row.get("because").getAsString, row.get("where").getAsString), ("the JDK", Machine.here().toString))
    assertEquals(row.keySet.size, 9)
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
    assert(
      shown(Claim("A12", "global loses", from = recorded).ratio("global / single", between(0.4, 0.6), published = 3.5)).contains(conditions)
    )
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

package lab.page

import java.io.ByteArrayOutputStream

import lab.machine.Machine
import lab.measure.{Estimate, Proof, Threshold}
import lab.results.{JmhResults, JmhScore, OwnRecords, Published, Record, RecordedSuite}

class ClaimSuite extends munit.FunSuite {

  /** Returns a panel's text with one space after each name, however long the longest one is. */
  private def shown(body: => Unit): String = ClaimSuite.shown(body).replaceAll(" +", " ")
  private val claim = Claim("B3.fixed-pool").measured("asleep simultaneously" -> 2)
  private val text = Published.statement("B3.fixed-pool").text

  test("a page's expectation is silent if it is met; otherwise it says what was found and what to do") {
    assertEquals(ClaimSuite.shown(Expect(holds = true, fail("not asked"))), "")
    val said = intercept[NotAsExpected](Expect(holds = false, "3 asleep")).getMessage
    assert(Seq("3 asleep", "If you changed a cell", "If you changed nothing").forall(said.contains(_)), said)
  }

  test("a structural claim that holds shows measured, published and this machine") {
    val panel = shown(claim.must(2 == 2))
    assert(panel.startsWith(s"✓ B3 holds: $text"), panel)
    val source = "Konieczny 2018, no version said: Scala 2.12 by its code, JDK 8 by its figures"
    val facts = Seq("measured asleep simultaneously: 2", s"fixed pool of 2: 2 tasks (exactly) ($source)")
    assert((facts :+ s"JDK ${Runtime.version.feature}").forall(panel.contains(_)), panel)
  }

  test("a structural claim that doesn't hold is shown, and then fails the page") {
    val text = shown {
      val message = intercept[ClaimFailed](claim.must(2 == 3)).getMessage
      assert(message.contains("B3.fixed-pool does not hold") && message.contains("measured: asleep simultaneously: 2"), message)
    }
    assert(text.startsWith("✗ B3 does not hold"), text)
  }

  test("a check that fails itself leaves the claim not tried, and the exception passes on") {
    val text = shown { intercept[ArithmeticException](claim.must(1 / "".length == 0)); () }
    assert(
      text.startsWith("– B3 not tried: ") && text.contains("because the check itself failed with java.lang.ArithmeticException"),
      text
    )
  }

  test("a claim that can't be tried says why, and fails nothing") {
    val text = shown(claim.notTried("there is no second JDK"))
    assert(text.startsWith("– B3 not tried: ") && text.contains("because there is no second JDK"), text)
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
      (0.11, 0.39, 0.2) -> "holds",
      (0.9, 1.1, 1.1) -> "holds",
      (0.9, 1.2, 1.0) -> "holds",
      (1.3, 1.6, 1.1) -> "does not hold",
      (0.5, 0.7, 1.1) -> "does not hold",
      (1.1, 1.4, 1.2) -> "not decided here",
      (0.7, 0.9, 1.2) -> "not decided here",
      (0.7, 1.4, 1.0) -> "not decided here"
    )
    for (((low, high, published), expected) <- cases) {
      assertEquals(verdict(low, high, published), expected, s"$low to $high against $published")
      assertEquals(verdict(1 / high, 1 / low, 1 / published), expected, s"$low to $high against $published, the other way round")
    }
  }

  test("a ratio published below 1: a bound at or below zero gives no upper bound of its inverse") {
    for (low <- Seq(0.0, -0.1)) {
      val verdict = Claim.compare(Estimate(0.3, low, 0.5, "×"), 0.28, within = 2, Threshold.aboutEqual)
      assertEquals(verdict.name, "not decided here", s"from $low")
      assert(verdict.because.contains("the direction is as published"), verdict.because)
    }
  }

  test("published as about equal, but measured as different: the verdict says so, even if only the direction counts") {
    val apart = Verdict.DoesNotHold("the two differ, but were published as about equal")
    for (within <- Seq(2, Double.PositiveInfinity))
      assertEquals(Claim.compare(between(1.4, 1.9), 1.1, within, Threshold.aboutEqual), apart)
  }

  test("if only the direction is published, any size will do") {
    assertEquals(Claim.compare(between(390, 410), 2, Double.PositiveInfinity, Threshold.aboutEqual), Verdict.Holds)
  }

  test("a ratio of nothing is refused, and a threshold without a source") {
    intercept[IllegalArgumentException](claim.ratio("a / b", between(1, 2), published = 0))
    intercept[IllegalArgumentException](claim.ratio("a / b", Estimate(0, -1, 1), published = 2))
    intercept[IllegalArgumentException](claim.ratio("a / b", between(1, 2), published = 2, apart = Threshold(0.5, "a joke")))
    assert(intercept[IllegalArgumentException](Threshold(2, " ")).getMessage.contains("where it comes from"))
  }

  test("a timing claim never fails the page, and its ratio is shown next to the published one") {
    val other = Claim("A12.switches").from(live)
    val panel = shown(other.ratio("global / single", between(0.45, 0.55), published = 3.5))
    assert(panel.startsWith("✗ A12 does not hold: ") && panel.contains("because it is the other way round"), panel)
    assert(panel.contains("global / single: × 0.497 (0.450 to 0.550)") && panel.contains("global / single: × 3.50; 100 maps"), panel)
    val direction = shown(Claim("A5.warm-cache").ratio("far / near", between(2.9, 3.1), published = 2, within = Double.PositiveInfinity))
    assert(direction.contains("far / near above 1; no figure (Komanov 2020") && direction.startsWith("✓"), direction)
  }

  test("a ratio within a run's errors is not decided, and the verdict names the threshold") {
    // The smart map and the direct context, 3.8 ± 4.9 and 3.6 ± 0.4 µs.
    val unlucky = Estimate(3.6, 3.2, 4.0).over(Estimate(3.8, -1.1, 8.7))
    val text = shown(Claim("A13.smart-direct").ratio("direct / smart", unlucky, published = 2.4))
    assert(text.startsWith("– A13 not decided here"), text)
    assert(text.contains("× 0.947") && text.contains("threshold 1.25, the course's own"), text)
  }

  test("a verdict by an interval: above, below, or neither") {
    def verdict(low: Double, high: Double) =
      Verdict.by(between(low, high), Threshold(2, "the article"))(above = Verdict.Holds, below = Verdict.DoesNotHold("less"))
    assertEquals(Seq(verdict(2.1, 3), verdict(1, 1.9)), Seq(Verdict.Holds, Verdict.DoesNotHold("less")))
    assert(verdict(1.9, 2.1).because.contains("threshold 2.00, the article"))
  }

  test("among several verdicts, the one that says most counts") {
    val (no, open, depends) = (Verdict.DoesNotHold("no"), Verdict.Undecided("wide"), Verdict.Depends("on it"))
    assertEquals(Verdict.all(Verdict.Holds, Verdict.Holds), Verdict.Holds)
    assertEquals(Verdict.all(Verdict.Holds, depends), depends)
    assertEquals(Verdict.all(depends, open, Verdict.Holds), open)
    assertEquals(Verdict.all(open, no, depends), no)
  }

  test("a claim on an instrument that failed its proof isn't tried, whatever came out") {
    val failed = Proof.failed("work of 4 ms took 0.5 ms")
    val text = shown {
      claim.provided(failed).must(2 == 3)
      claim.provided(failed).grade(Verdict.Holds)
    }
    assertEquals("– B3 not tried".r.findAllIn(text).size, 2, text)
    assert(text.contains("work of 4 ms took 0.5 ms"), text)
    assert(shown(claim.provided(Proof.passed("1 ms took 1.01")).must(true)).startsWith("✓"))
  }

  test("published figures come from the course's data, with their source; a statement may have some of them, or none") {
    assertEquals(Published.statement("A2.less-work").published, "no figure (Komanov 2020, Scala 2.12)")
    assert(Published.statement("F5.default-free").published.startsWith("no figure ("), Published.statement("F5.default-free").published)
    assert(Published.statement("B8.many-times").published.contains("12.241 ± 1.094 ms"))
  }

  test("a statement is followed by how it is weaker than the article") {
    assert(shown(Claim("C9a.no-future").notTried("no time")).contains("does nothing (weaker: on a pool like Scala's global one)"))
    assert(shown(Claim("A18.grouped").notTried("no time")).contains("(weaker than the article's)"))
    assert(shown(Claim("E3.same-threads").notTried("no time")).contains("(the course's own addition)"))
  }

  test("an unknown id is refused, with its claim's ids or where to find them; one call returns all of a claim's statements") {
    val near = intercept[IllegalArgumentException](Claim("B2.never")).getMessage
    assert(near.contains("'B2.never'") && near.contains("B2.more-than-cpus") && near.contains("statements.csv"), near)
    assert(intercept[IllegalArgumentException](Claim("Z1.never")).getMessage.contains("statements.csv"))
    assertEquals(Claim.all("C12", "B1").map(_.statement.id), Vector("C12.checked", "C12.inputs-there", "B1.as-many-as-cpus"))
    assert(intercept[IllegalArgumentException](Claim.all("Z1")).getMessage.contains("A21"))
  }

  test("the record: ids, numbers as numbers, no bound where there is none; the published ratio under the measured one's name") {
    val facts = claim.measured("ratio" -> Estimate(2, 1.5, Double.PositiveInfinity, "×"), "on" -> "cells", "here" -> true)
    assertEquals(
      s"${facts.record(Verdict.Depends("the JDK")).json}",
      """{"record":"verdict","version":1,"statement":"B3.fixed-pool","verdict":"depends","because":"the JDK","measured":[""" +
        """{"name":"asleep simultaneously","value":2.0},{"name":"ratio","value":2.0,"low":1.5,"high":null,"unit":"×"},""" +
        """{"name":"on","value":"cells"},{"name":"here","value":"yes"}]}"""
    )
  }

  test("a panel's output holds the record, for tools that read executed pages; this reader's records hold it with machine and time") {
    val bundle = claim.bundle(Verdict.Holds)
    assertEquals(
      (bundle.keySet, bundle(Record.mime)),
      (Set("text/plain", "text/html", Record.mime), s"${claim.record(Verdict.Holds).json}")
    )
    shown(Claim("A13.smart-direct").ratio("direct / smart", between(2, 3), published = 2.4))
    val kept = OwnRecords.allIn(OwnRecords.folder.get).filter(_.has("statement")).last
    assertEquals((kept.get("statement").getAsString, kept.get("verdict").getAsString), ("A13.smart-direct", "holds"))
    assertEquals(s"${kept.get("published")}", """[{"name":"direct / smart","value":2.4,"unit":"×"}]""")
    assertEquals(kept.getAsJsonObject("machine").get("cpus").getAsInt, Runtime.getRuntime.availableProcessors)
  }

  private val score = JmhScore("cell.A.x", "avgt", Map.empty, "2.13.18", "25.0.2", 1, 0.1, "us/op")
  private val live = new JmhResults(Vector(score))
  private val recorded = new JmhResults(Vector(score.copy(jdk = "21.0.8", recording = Some(RecordedSuite.recording))))

  test("a claim from a recording says so, with that machine instead of this one") {
    val conditions = "recorded on a quiet test machine, 2026-11-21: 64 CPUs, JDK 21, Scala 2.13.18, profile full"
    val here = Machine.here().toString
    val panel = shown(claim.from(recorded).must(true))
    assert(panel.contains(conditions) && !panel.contains(here), panel)
    def rests(of: JmhResults): Seq[String] = {
      val record = claim.from(of).record(Verdict.Holds).json
      Seq("recorded", "here").map(field => s"${record.get(field)}")
    }
    assertEquals(rests(recorded), Seq(s"\"$conditions\"", "false"))
    assertEquals(rests(live), Seq("null", "null"))
    assertEquals(rests(live ++ recorded), Seq(s"\"$conditions\"", "true"))
  }

  test("the table of this kernel holds each statement once, with its latest verdict, and marks what comes from a recording") {
    shown {
      Claim("A2.less-work").notTried("not yet")
      Claim("A2.less-work").from(live).must(true)
      Claim("A2.task-longer").from(recorded).must(true)
    }
    assertEquals(Claim.table.rows.filter(_.head == "A2").map(_.last), Vector("holds", "holds (recorded)"))
  }

  test("a panel is escaped and says in words what its colour says") {
    val html = Claim("B9.stealing").panel(Verdict.DoesNotHold("a < b & \"c\" in `f[A]`")).html
    assert(html.contains("a &lt; b &amp; \"c\" in <code>f[A]</code>") && html.contains("aria-label=\"B9 does not hold\""), html)
  }
}

object ClaimSuite {

  /** Returns what `body` shows, as plain text. */
  def shown(body: => Unit): String = {
    val printed = new ByteArrayOutputStream
    Console.withOut(printed)(body)
    printed.toString("UTF-8")
  }
}

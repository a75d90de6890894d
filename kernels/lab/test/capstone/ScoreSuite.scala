package lab.capstone

import lab.chart.Latencies
import lab.measure.{Estimate, Repeated}
import lab.results.Result

class ScoreSuite extends munit.FunSuite {
  import Request._

  private val layout = Layout("mine", Seq(Pool("app", 1)), "app", "app", "app", "app", "app")
  private val ms = 1000000L

  /** Scores a plan. `fate` returns what becomes of a request: the milliseconds until its answer, and its outcome. */
  private def score(threads: Int = 20, plan: Plan = Plan.usual, lag: Long = ms, waited: Long = ms, fullest: Int = 30)(
      fate: PartialFunction[(String, String), (Long, Outcome)]
  ): Score = {
    val requests = plan.phases.flatMap { phase =>
      phase.arrivals.map { case (at, kind) =>
        val (took, outcome) = fate.applyOrElse((phase.name, kind), (_: (String, String)) => (10L, Right))
        Request(phase.name, kind, at, Option.when(outcome != Unanswered)(took * ms), outcome)
      }
    }
    val counters = Counters(threads, fullest, Vector(1, 2), Map(("query", "jdbc") -> 3L), waited)
    new Score(
      layout,
      plan,
      requests.toVector,
      plan.phases.map(_.name -> counters).toMap,
      plan.phases.map(_.name -> Latencies.of(Seq(lag))).toMap
    )
  }
  private val best = score()(PartialFunction.empty)
  private def tried(scores: Score*): Tried = new Tried(scores.toVector, quantity => Estimate.of(scores.map(quantity), "ms"))
  private def missed(score: Score): String = score.missed.mkString(" ")

  test("a layout that answers everything in time gets all points") {
    assertEqualsDouble(best.points, 100, 1e-9)
    assert(best.goals.forall(_.met) && best.proof.passed, s"$best")
    assertEquals(best.ranOn("query"), Map("jdbc" -> 12L))
    assertEquals(best.goals.map(_.goal), Goal.all)
  }

  test("late, wrong, rejected and unanswered aren't in time; an unanswered one counts with the time after which clients give up") {
    for (fate <- Seq((501L, Right), (10L, Wrong), (10L, Rejected), (0L, Unanswered))) {
      val bad = score() { case (Phase.crowd, "order") => fate }
      assertEqualsDouble(bad.inTime(Phase.crowd, "order"), 0, 1e-9)
      assertEquals(missed(bad), "crowd-orders")
      assertEqualsDouble(bad.points, 85, 1e-9)
    }
    val silent = score() { case (Phase.crowd, "order") => (0L, Unanswered) }
    assert(silent.latencies(Phase.crowd, "order").percentileNanos(50) >= 590 * ms)
    assertEqualsDouble(silent.informed(Phase.crowd, "order"), 0, 1e-9)
    assertEqualsDouble(silent.inTime(Phase.crowd, "page"), 100, 1e-9)
  }

  test("requests that can't be served have to be rejected in time, but rejecting all isn't enough") {
    assertEquals(missed(score() { case (Phase.slow, "price") => (410, Rejected) }), "")
    assertEquals(missed(score() { case (Phase.slow, "price") => (560, Rejected) }), "slow")
    assertEquals(missed(score() { case (Phase.short, "order") => (1, Rejected) }), "short-orders")
    var n = 0
    val some = score() { case (Phase.short, "order") => n += 1; if (n % 3 == 0) (100, Right) else (1, Rejected) }
    assertEquals(missed(some), "")
    val words = some.goals.find(_.goal == Goal.ShortOrders).fold("")(_.words)
    assert(words.startsWith("order 100 % answered or rejected (answered 33"), words)
  }

  test("requests that were sent late prove nothing, and most of several scores decide") {
    val late = score(lag = 51 * ms)(PartialFunction.empty)
    assert(!late.proof.passed && late.proof.words.contains("to send requests"), s"${late.proof}")
    val starved = score(waited = 51 * ms)(PartialFunction.empty)
    assert(!starved.proof.passed && starved.proof.words.contains("for the service"), s"${starved.proof}")
    assert(tried(best, late, best).proof.passed && !tried(best, late, late).proof.passed)
  }

  test("too many threads miss a goal, and so do too many requests in flight; goals met rank before points") {
    assertEquals(missed(score(threads = 41)(PartialFunction.empty)), "threads")
    val piled = score(threads = 41, fullest = 61)(PartialFunction.empty)
    assertEquals(missed(piled), "threads under-way")
    val burst = score() { case (Phase.crowd, "order") => (0L, Unanswered) }
    assert(burst.points < piled.points && Score.ranking.gt(burst, piled), s"$burst\n$piled")
    assertEquals(tried(best, piled, burst).middle, burst)
  }

  test("several scores show the time within which nine of ten are answered") {
    def of(fate: (Long, Outcome)) = tried(Seq.fill(3)(score() { case (Phase.slow, "price") => fate }): _*)
    assertEqualsDouble(of((20, Right)).within(Phase.slow, "price").value, 20, 0.1)
    assertEqualsDouble(of((20, Rejected)).within(Phase.slow, "price").low, 600, 0.1)
    assertEqualsDouble(of((20, Rejected)).informedWithin(Phase.slow, "price").value, 20, 0.1)
    assertEqualsDouble(of((0, Unanswered)).informedWithin(Phase.slow, "price").value, 600, 0.1)
    assertEqualsDouble(of((20, Right)).inTime(Phase.slow), 100, 1e-9)
  }

  test("a layout is scored until it is known which requests are in time") {
    def tries(took: Long*) = {
      val next = Iterator.continually(took).flatten // a disturbed round is repeated
      def mine() = { val ms = next.next(); score() { case (_, "health") => (ms, Right) } }
      new Tries(Repeated(3, warmUp = 0)("mine" -> (() => mine()), "another" -> (() => best)))
    }
    val asked = Seq(layout -> Plan.usual)
    assertEquals((tries(20, 22, 21).undecided(asked), tries(20, 590).undecided(asked)), (Nil, Seq("mine")))
    assertEquals(tries(20, 22, 21)(layout).scored, Score.phases)
  }

  test("a score of some phases only has no points, and names its phases") {
    val part = score(plan = Plan.usual.only(Phase.slow))(PartialFunction.empty)
    assertEquals(s"$part", "mine: 100 % in time (prices slow)")
    assert(intercept[NoSuchElementException](part.inTime(Phase.crowd)).getMessage.contains("'crowd' wasn't scored"))
    assert(intercept[IllegalArgumentException](Plan.usual.only("night")).getMessage.contains("prices slow"))
  }

  test("a score has charts and tables") {
    val one = score() { case (Phase.short, _) => (590, Right) }
    val two = Seq(one, best)
    for (chart <- Seq(Scores.chart(one), Scores.overTime(one), Scores.compare("two")(two), Scores.compare("two", "health", "page")(two)))
      assert(chart.plain.nonEmpty)
    assertEquals((one.worst(Phase.short)._2, one.worst(Phase.crowd)._2), (0.0, 100.0))
    assert(Scores.chart(one).title.contains("0 % (database short)"), Scores.chart(one).title)
    for (table <- Seq(Scores.table(one), Scores.goals("two")(two), Scores.figures("two")(two), Plan.usual.table, Layout.table(layout)))
      assert(table.plain.nonEmpty)
    val spread = Scores.spread("two")(Seq(tried(two: _*))).plain
    assert(Seq("6 to 8 of 8", "70 to 100", "short (1), short-orders (1)").forall(spread.contains), spread)
    assertEqualsDouble(Scores.band(Seq(tried(two: _*), tried(best))), 30, 1e-9)
  }

  test("arrivals come at equal distances, and each kind at its rate") {
    val slow = Plan.usual.phases(2)
    val during = slow.arrivals.groupMapReduce(_._2)(_ => 1)(_ + _)
    assertEquals(during, slow.perSecond.map { case (kind, n) => kind -> (n * slow.time.toMillis / 1000).toInt })
    assertEquals(slow.arrivals.map(_._1), slow.arrivals.map(_._1).sorted)
    val groups = Plan.usual.phases(1).arrivals.filter(_._2 == "order").groupBy(_._1).values.map(_.size).toSeq
    assertEquals(groups, Seq(Phase.group, Phase.group), "in the crowd, orders come together")
  }

  test("attempts are read from the results, and drawn next to the references") {
    def result(name: String, points: Double) = Result(name, points, "points of 100", java.time.Instant.EPOCH, "me", 2, 25)
    val kept = s"11 layout missed=short crowd-orders;${layout.text}"
    val found = Attempts.of(Vector(result(kept, 60), result(s"11 layout ${layout.text}", 99), result("x", 1)))
    assertEquals(found.map(attempt => (attempt.layout, attempt.points, attempt.met)), Vector((layout, 60.0, 6)))
    assertEquals(found.head.missed.map(_.id), Seq("crowd-orders", "short"))
    val reference = score(threads = 41)(PartialFunction.empty)
    val trail = Attempts.trail(found, Seq(reference))
    assert(trail.title.contains("1 attempt, `mine`, meets 6 of 8 goals"), trail.title)
    assert(trail.plain.contains("1. mine") && trail.plain.contains("crowd-orders, short"), trail.plain)
    assert(Attempts.trail(Vector.empty, Seq(reference)).title.contains("No attempt yet"))
    val older = Attempts.trail(Vector.empty, Seq(reference), former = 2)
    assert(older.plain.contains("2 attempts at the goals of an earlier version"), older.plain)
  }

  test("one long stall counts with its moments, many short waits don't") {
    val ms = 1000000L
    assertEquals(Pulse.waitedNanos(Vector.empty), 0L)
    assertEquals(Pulse.waitedNanos(Vector.fill(29)(0L) :+ 300 * ms), 300 * ms)
    assertEquals(Pulse.waitedNanos(Vector.fill(29)(ms)), 0L)
    assertEquals(Pulse.waitedNanos(Vector.fill(20)(10 * ms) ++ Vector.fill(10)(ms)), 10 * ms)
  }
}

package lab.capstone

import lab.chart.Latencies
import lab.results.Result

import scala.concurrent.duration._

class ScoreSuite extends munit.FunSuite {
  import Visit._

  private val layout = Layout("mine", Seq(Pool("app", 1)), "app", "app", "app", "app", "app")
  private val ms = 1000000L

  /** Every request of the plan, with what `fate` makes of it: milliseconds until its answer, and what it was. */
  private def score(threads: Int = 20, plan: Plan = Plan.quick, lag: Long = ms, waited: Long = ms)(
      fate: PartialFunction[(String, String, Boolean), (Long, Outcome)]
  ): Score = {
    val visits = plan.phases.flatMap { phase =>
      phase.arrivals.map { case (at, kind) =>
        val calm = at >= phase.time.toNanos
        val (took, outcome) = fate.applyOrElse((phase.name, kind, calm), (_: (String, String, Boolean)) => (10L, Right))
        Visit(phase.name, kind, calm, at, Option.when(outcome != Unanswered)(took * ms), outcome)
      }
    }
    val told = Told(threads, 200, Vector(1, 2), Map(("query", "jdbc") -> 3L), waited)
    new Score(layout, plan, visits.toVector, plan.phases.map(_.name -> told).toMap, plan.phases.map(_.name -> Latencies.of(Seq(lag))).toMap)
  }
  private def missed(score: Score): Seq[String] = score.goals.filterNot(_.met).map(_.name.takeWhile(_ != ':'))

  test("who answers everything in time has all points") {
    val best = score()(PartialFunction.empty)
    assertEqualsDouble(best.points, 100, 1e-9)
    assert(best.goals.forall(_.met) && best.proof.passed, s"$best")
    assertEquals(best.ranOn("query"), Map("jdbc" -> 12L))
    assertEquals(best.goals.map(_.name), Score.asked)
    assertEqualsDouble(Score.asked.size.toDouble, 9, 0)
  }

  test("late, wrong, refused and unanswered aren't in time; an unanswered one counts with the time after which visitors go") {
    for (fate <- Seq((501L, Right), (10L, Wrong), (10L, Refused), (0L, Unanswered))) {
      val bad = score() { case (Phase.crowd, "order", false) => fate }
      assertEqualsDouble(bad.inTime(Phase.crowd, "order").value, 0, 1e-9)
      assertEquals(missed(bad), Seq("crowd"))
      assertEqualsDouble(bad.points, 95, 1e-9)
    }
    val silent = score() { case (Phase.crowd, "order", false) => (0L, Unanswered) }
    assert(silent.latencies(Phase.crowd, "order").percentileNanos(50) >= 1490 * ms)
    assert(silent.told(Phase.crowd, "order").isBelow(20) && silent.inTime(Phase.crowd, "page").isAbove(70), s"$silent")
  }

  test("who can't be served has to be told so in time, and refusing everybody isn't an answer") {
    assert(score() { case (Phase.slow, "price", false) => (410, Refused) }.goals.forall(_.met))
    assertEquals(missed(score() { case (Phase.slow, "price", false) => (560, Refused) }), Seq("prices slow"))
    assertEquals(missed(score() { case (Phase.short, "order", false) => (1, Refused) }), Seq("database short"))
    var n = 0
    val some = score() { case (Phase.short, "order", false) => n += 1; if (n % 3 == 0) (100, Right) else (1, Refused) }
    assert(some.goals.forall(_.met), some.goals.mkString("\n"))
  }

  test("recovered is who is as usual again for good") {
    var calm = 0
    def until(n: Int) = score() { case (Phase.crowd, _, true) => calm += 1; if (calm <= n) (900, Right) else (10, Right) }
    assertEquals(until(0).recovery(Phase.crowd), Some(Duration.Zero))
    calm = 0
    assertEquals(until(23).recovery(Phase.crowd), Some(200.millis))
    calm = 0
    val never = until(1000)
    assertEquals((never.recovery(Phase.crowd), never.recovery(Phase.short)), (None, Some(Duration.Zero)))
    assertEquals(missed(never), Seq("each kind recovers within 400 ms after crowd"))
    val orders = score() { case (Phase.crowd, "order", true) => (900, Right) }
    assertEquals(orders.recovery(Phase.crowd), None, "one kind that stays late isn't as usual")
  }

  test("requests that left late prove nothing") {
    val late = score(lag = 51 * ms)(PartialFunction.empty)
    assert(!late.proof.passed && late.proof.words.contains("to send requests"), s"${late.proof}")
    val starved = score(waited = 51 * ms)(PartialFunction.empty)
    assert(!starved.proof.passed && starved.proof.words.contains("for the service"), s"${starved.proof}")
  }

  test("too many threads miss a goal") {
    assertEquals(missed(score(threads = 41)(PartialFunction.empty)), Seq("at most 40 threads"))
  }

  test("a score of some phases alone has no points, and says what it has") {
    val part = score(plan = Plan.quick.only(Phase.slow))(PartialFunction.empty)
    assertEquals(s"$part", "mine: 100 % in time (prices slow)")
    assert(intercept[NoSuchElementException](part.inTime(Phase.crowd)).getMessage.contains("'crowd' wasn't scored"))
    assert(intercept[IllegalArgumentException](Plan.quick.only("night")).getMessage.contains("prices slow"))
  }

  test("the bounds of a share are those of Wilson") {
    val visits = score()(PartialFunction.empty).visits.take(100)
    val share = Score.share(visits)(visits.take(50).contains(_))
    assertEqualsDouble(share.low, 37.5, 0.2)
    assertEqualsDouble(share.high, 62.5, 0.2)
  }

  test("it is drawn and told in tables") {
    val one = score() { case (Phase.short, _, _) => (900, Right) }
    val two = Seq(one, score()(PartialFunction.empty))
    for (chart <- Seq(Scores.chart(one), Scores.overTime(one), Scores.compare("two")(two), Scores.compare("two", "health", "page")(two)))
      assert(chart.plain.nonEmpty)
    assertEquals((one.worst(Phase.short)._2.value, one.worst(Phase.crowd)._2.value), (0.0, 100.0))
    assert(Scores.chart(one).title.contains("0 % (database short)"), Scores.chart(one).title)
    assert(Scores.overTime(one).title.contains("database short"), Scores.overTime(one).title)
    for (table <- Seq(Scores.table(one), Scores.goals("two")(two), Scores.figures("two")(two), Plan.full.table, Layout.table(layout)))
      assert(table.plain.nonEmpty)
  }

  test("arrivals come at equal distances, each kind as often as it should") {
    val crowd = Plan.quick.phases(1)
    val during = crowd.arrivals.filter(_._1 < crowd.time.toNanos).groupMapReduce(_._2)(_ => 1)(_ + _)
    assertEquals(during, Phase.many.map { case (kind, n) => kind -> (n * crowd.time.toMillis / 1000).toInt })
    assertEquals(crowd.arrivals.map(_._1), crowd.arrivals.map(_._1).sorted)
  }

  test("attempts are read from the results, and drawn beside the references") {
    def result(name: String, points: Double) = Result(name, points, "points of 100", java.time.Instant.EPOCH, "me", 2, 25)
    val found = Attempts.of(Vector(result(s"11 layout ${layout.text}", 60), result("11 layout of another course", 99), result("x", 1)))
    assertEquals(found.map(attempt => (attempt.layout, attempt.points)), Vector((layout, 60.0)))
    val reference = score(threads = 41)(PartialFunction.empty)
    assert(Attempts.trail(found, Seq(reference)).title.contains("60 points, more than 0 of 1 reference"))
    assert(Attempts.trail(Vector.empty, Seq(reference)).title.contains("No attempt yet"))
  }
}

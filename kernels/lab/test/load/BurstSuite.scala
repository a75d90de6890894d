package lab.load

import java.time.{Duration => JavaDuration}
import java.util.concurrent.{ArrayBlockingQueue, LinkedBlockingQueue}

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

class BurstSuite extends munit.FunSuite {
  import lab.page.ClaimSuite.shown

  private val ms = 1000000L
  private def answered(sent: Long, took: Long) = Fate(Fate.Answered, sent * ms, Some((sent + took) * ms))
  private def dropped(sent: Long, took: Long) = Fate(Fate.Dropped, sent * ms, Some((sent + took) * ms))

  test("a burst that is too large: all wait in an unbounded queue, and a full queue rejects some") {
    var found = Seq.empty[(String, Burst)]
    shown {
      found = Burst(usual = 20, burst = 200, phases = (100.millis, 300.millis, 300.millis), threads = 1)(
        "no end" -> AdmissionPolicy(new LinkedBlockingQueue[Runnable]),
        "3 places" -> AdmissionPolicy(new ArrayBlockingQueue[Runnable](3)),
        "deadline" -> AdmissionPolicy(new LinkedBlockingQueue[Runnable], Drop.after(50.millis))
      )(Thread.sleep(10))
    }
    val (endless, short, deadline) = (found.head._2, found(1)._2, found(2)._2)
    assertEquals(found.map(_._2.fates.size).distinct, Seq(2 + 60 + 6))
    assertEquals(endless.count(Fate.Answered), 68)
    assert(short.count(Fate.Rejected) >= 20 && short.count(Fate.Dropped) == 0, short)
    assert(deadline.count(Fate.Dropped) >= 10 && deadline.count(Fate.Rejected) == 0, deadline)
    assert(endless.answers.percentileNanos(95) > 2 * short.answers.percentileNanos(95), s"$endless, $short")
    // A closed pool's threads still have to finish their last steps.
    val policies = Thread.getAllStackTraces.keySet.asScala.filter(_.getName == "burst")
    assert(policies.forall(_.join(JavaDuration.ofSeconds(10))), "threads are left behind")
  }

  test("requests that still wait when all give up are unanswered, not left out") {
    var found = Seq.empty[(String, Burst)]
    shown {
      found = Burst(100, 100, (50.millis, 50.millis, 50.millis), threads = 1, giveUp = 20.millis)(
        "no end" -> AdmissionPolicy(new LinkedBlockingQueue[Runnable])
      )(Thread.sleep(10000))
    }
    assertEquals(found.map(_._2.toString), Seq("0 answered, 0 rejected, 0 dropped, 15 unanswered"))
    assertEquals(found.head._2.overTime(), Nil)
  }

  test("answers in time are useful; recovery is when half of each slice is as usual again") {
    val burst = Burst(Vector(answered(0, 20), answered(100, 300), dropped(300, 10), answered(500, 90), answered(700, 20)), 200 * ms)
    assertEquals((burst.useful(100.millis), burst.late(100.millis), burst.count(Fate.Dropped)), (3, 1, 1))
    assertEquals(burst.recovery(40.millis).toMillis, 400L)
    assertEquals(burst.recovery(100.millis).toMillis, 200L)
    assertEquals(burst.overTime(), Seq(0.1 -> 300.0, 0.5 -> 90.0, 0.7 -> 20.0))
    assertEquals(burst.usefulOverTime(100.millis).map(_._2), Seq(50.0, 0.0, 100.0, 100.0))
  }

  test("in a standing queue, no task had a short wait for an interval") {
    val (rule, from) = (Drop.standing(20.millis, 100.millis), System.nanoTime)
    def drops(at: Long, waited: Long) = rule(waited * ms, from + at * ms)
    assert(!drops(10, 5) && !drops(60, 50) && !drops(105, 90), "a queue may be long for a moment")
    assert(drops(115, 100) && drops(120, 21), "now it is a standing queue")
    assert(!drops(125, 20) && !drops(130, 90), "it was short again")
  }

  test("it rejects a call without policies, rates or times") {
    val message = intercept[IllegalArgumentException](Burst(10, 10, (1.second, 1.second, 1.second), threads = 1)()(())).getMessage
    assert(message.contains("a policy"), message)
  }
}

package lab.load

import scala.concurrent.duration._

class AnswersSuite extends munit.FunSuite {
  private val ms = 1000000L
  private val answers = Answers.read(
    Vector(
      "answer a 1 1000000000 5000000 true",
      "something else",
      "answer b 1 1002000000 1000000 false",
      "answer a 1 1010000000 20000000 true"
    )
  )

  test("lines that a simulation printed become answers on one clock") {
    assertEquals(
      answers.all,
      Vector(Answer("a", 1, 0, 5 * ms, ok = true), Answer("b", 1, 2 * ms, ms, ok = false), Answer("a", 1, 10 * ms, 20 * ms, ok = true))
    )
    assertEquals(answers.toString, "3 requests, 1 error")
  }

  test("requests of one name: their own clock, its rate from the first answer to the last") {
    assertEquals(answers.of("b").all.map(_.sentNanos), Vector(0L))
    assertEqualsDouble(answers.of("a").perSecond, 1 / 0.025, 1e-6)
    assertEquals(answers.of("b").perSecond, 0.0)
    val message = intercept[IllegalArgumentException](answers.of("c")).getMessage
    assert(message.contains("'c'") && message.contains("a, b"), message)
  }

  test("a generator that is late sends less, and the answers keep up with what it sent") {
    val late = Answers.read(Vector("answer a 1 0 5000000 true", "answer a 1 20000000 5000000 true", "answer a 1 80000000 5000000 true"))
    assertEqualsDouble(late.of("a").sentPerSecond, 2 / 0.080, 1e-6)
    assertEqualsDouble(late.of("a").sentPerSecond / late.of("a").perSecond, 1.0, 1e-6)
    assertEquals(Answers.read(Vector("answer a 1 0 5000000 true")).sentPerSecond, 0.0)
  }

  test("latencies are those of good answers") {
    assertEquals(answers.latency.count, 2L)
    assert(answers.of("a").latency.maxNanos >= 20 * ms)
  }

  test("in flight: sent and not yet answered") {
    assertEquals(answers.inFlight(4.millis).map(_._2), Seq(1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0))
  }

  test("over time: the median of each slice of sending") {
    assertEquals(answers.of("a").overTime(10.millis), Seq(0.005 -> 0.005, 0.015 -> 0.020))
  }

  test("blocks of one name: each has its own clock, and they are repeated measurements") {
    val told = Vector("answer a 1 0 5000000 true", "answer b 1 20000000 5000000 true", "answer a 2 40000000 15000000 true")
    val a = Answers.read("answer a 0 0 99000000 true" +: told).of("a") // block 0 is a warm-up
    assertEquals(a.all.map(one => (one.block, one.sentNanos)), Vector((1, 0L), (2, 0L)))
    assertEquals(a.blocks.map(_.perSecond), Vector(0.0, 0.0), "a rate takes two answers")
    val more = told ++ Vector("answer a 1 10000000 5000000 true", "answer a 2 45000000 30000000 true")
    assertEquals(Answers.read(more).of("a").blocks.map(_.perSecond.round), Vector(100L, 50L))
    assertEqualsDouble(Answers.read(more).of("a").perSecond, 2 / 0.030, 1e-6)
    assertEquals(a.inFlight(10.millis).map(_._2), Seq(1.0, 0.5))
  }
}

package lab

import java.util.concurrent.CountDownLatch

import lab.Exercise.{Seen, Trial}

import scala.concurrent.duration._

class ExerciseSuite extends munit.FunSuite {

  private class Doubling extends Exercise[Int => Int]("test-doubling") {
    def trials = Seq(
      Trial("two is doubled")(double => Seen(4, double(2))),
      Trial("a random number is doubled") { double =>
        val n = 3 + scala.util.Random.nextInt(1000)
        Seen(2 * n, double(n))
      }
    )
    def hints = Seq("the first", "the second")
    override private[lab] def limit = 300.millis
  }

  test("a case that fails says what was expected and what happened") {
    val outcome = new Doubling().attempt(() => _ => 4)
    assertEquals(outcome.seen.map(_._2.fine), Vector(true, false))
    assert(!outcome.passed)
    assertEquals(outcome.seen(1)._2.happened, "4")
  }

  test("an answer that waits for ever is reported with its place, and its daemon thread left behind") {
    val exercise = new Doubling
    val outcome = exercise.attempt(() => { _ => new CountDownLatch(1).await(); 1 })
    val (first, second) = (outcome.seen(0)._2, outcome.seen(1)._2)
    assert(first.happened.startsWith("none after 300 ms, in "), first)
    assertEquals(second.happened, "not tried")
  }

  test("an answer that throws, or isn't written, is no crash") {
    val exercise = new Doubling
    assert(exercise.attempt(() => sys.error("boom")).seen.head._2.happened.contains("boom"))
    assert(exercise.attempt(() => ???).unwritten)
    def down(n: Int): Int = 1 + down(n)
    assert(exercise.attempt(() => down(_)).seen.head._2.happened.contains("StackOverflowError"))
  }

  test("one hint more after each failure; none for an answer that isn't written") {
    val exercise = new Doubling
    def tell(answer: => Int => Int): String = ClaimSuite.shown(exercise.check(answer))
    assert(tell(???).startsWith("– Exercise test-doubling: Replace `???`"))
    assertEquals(exercise.hint, None)
    val texts = (1 to 3).map(_ => tell(_ => 4))
    assert(texts(0).contains("Hint 1 of 2: the first") && !texts(0).contains("the second"), texts(0))
    assert(texts.drop(1).forall(_.contains("Hint 2 of 2: the second")), texts.mkString)
    assert(texts(0).contains("1 of 2 cases pass") && texts(0).contains("/ happened: 4"), texts(0))
  }

  test("a right answer is told so, and known when it comes again") {
    val exercise = new Doubling
    val texts = (1 to 2).map(_ => ClaimSuite.shown(exercise.check(_ * 2)))
    assert(texts.forall(_.contains("solved: all 2 cases pass")), texts.mkString)
    assert(exercise.last.exists(_.passed))
    assert(texts(1).contains("First solved on "), texts(1))
  }

  test("every case fails for an answer that isn't written") {
    for (exercise <- exercises.All()) {
      assert(exercise.attempt(() => ???).seen.forall(!_._2.fine), exercise.id)
      assert(exercise.hints.size >= 2, exercise.id)
    }
  }
}

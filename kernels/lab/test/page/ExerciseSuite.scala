package lab.page

import java.nio.file.Files
import java.util.concurrent.CountDownLatch

import lab.exercises
import lab.installation.Installation
import lab.page.Exercise.{Seen, Trial}

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.Using

class ExerciseSuite extends munit.FunSuite {

  private class Doubling extends Exercise[Int => Int]("test-doubling") {
    def trials = Seq(
      Trial("two is doubled", "twice two", "four")(double => Seen(4, double(2))),
      Trial("a random number is doubled", "not only two") { double =>
        val n = 3 + scala.util.Random.nextInt(1000)
        Seen(2 * n, double(n)).of(s"the number $n").hintIf(double(n) == n * n)("that is squared")
      }
    )
    override private[lab] def limit = 300.millis
  }

  test("a case that fails says what was expected and what happened") {
    val outcome = new Doubling().attempt(() => _ => 4)
    assertEquals(outcome.seen.map(_._2.fine), Vector(true, false))
    assert(!outcome.passed)
    assertEquals(outcome.seen(1)._2.happened, "4")
  }

  test("an answer that waits forever is reported with its place, and its daemon thread is left behind") {
    val exercise = new Doubling
    val outcome = exercise.attempt(() => { _ => new CountDownLatch(1).await(); 1 })
    val (first, second) = (outcome.seen(0)._2, outcome.seen(1)._2)
    assert(first.happened.startsWith("none after 300 ms, in "), first)
    assertEquals(second.happened, "not tried")
  }

  test("if only the first failure is wanted, no case after it is tried") {
    sys.props(Exercise.UntilFirstFailure) = "true"
    try {
      assertEquals(new Doubling().attempt(() => _ => 3).seen.map(_._2.happened), Vector("3", "not tried"))
      assert(new Doubling().attempt(() => n => 2 * n).passed)
    } finally { sys.props -= Exercise.UntilFirstFailure; () }
  }

  test("an answer that throws, or isn't written, is no crash") {
    val exercise = new Doubling
    assert(exercise.attempt(() => sys.error("boom")).seen.head._2.happened.contains("boom"))
    assert(exercise.attempt(() => ???).unwritten)
    def down(n: Int): Int = 1 + down(n)
    assert(exercise.attempt(() => down(_)).seen.head._2.happened.contains("StackOverflowError"))
  }

  private def tell(exercise: Exercise[Int => Int])(answer: => Int => Int): String = ClaimSuite.shown(exercise.check(answer))

  test("a case that fails shows what the answer was given") {
    val text = tell(new Doubling)(_ => 4)
    assert("given: the number \\d+\n +expected: \\d+\n +happened: 4\n".r.findFirstIn(text).nonEmpty, text)
    assert(text.contains("1 of 2 cases pass") && text.contains("✓ two is doubled              4"), text)
  }

  test("a hint is for the first case that fails, and the next one comes when the same fails again") {
    val exercise = new Doubling
    assert(tell(exercise)(_ => 3).contains("Hint for the first ✗, 1 of 2: twice two"))
    val other = tell(exercise)(_ => 4)
    assert(other.contains("Hint for the first ✗: not only two"), other)
    for (_ <- 1 to 2) assert(tell(exercise)(_ => 3).contains("Hint for the first ✗, 2 of 2: four"))
  }

  test("a case that knows the mistake says so instead") {
    val text = tell(new Doubling)(n => n * n)
    assert(text.contains("Hint for the first ✗: that is squared") && !text.contains("not only two"), text)
  }

  test("no hint for an answer that isn't written, or is right") {
    val exercise = new Doubling
    assert(tell(exercise)(???).startsWith("– Exercise test-doubling: Replace `???`"))
    assertEquals(exercise.hint, None)
    tell(exercise)(_ => 3)
    assert(!tell(exercise)(_ * 2).contains("Hint"))
  }

  test("a right answer is confirmed, and recognised when it comes again") {
    val exercise = new Doubling
    val texts = (1 to 2).map(_ => ClaimSuite.shown(exercise.check(_ * 2)))
    assert(texts.forall(_.contains("solved: all 2 cases pass")), texts.mkString)
    assert(exercise.last.exists(_.passed))
    assert(texts(1).contains("First solved on "), texts(1))
  }

  test("every case fails for an answer that isn't written, and has a hint") {
    for (exercise <- exercises.All()) {
      assert(exercise.attempt(() => ???).seen.forall(!_._2.fine), exercise.id)
      val trials = exercise.trials
      assertEquals(trials.map(_.name).distinct.size, trials.size, exercise.id)
      for (trial <- trials) assert(trial.hints.nonEmpty, s"${exercise.id}: ${trial.name}")
    }
  }

  test("the reader's texts have no mark-up but backticks") {
    for (exercise <- exercises.All(); trial <- exercise.trials; text <- trial.name +: trial.hints) {
      assertEquals(text.count(_ == '`') % 2, 0, text)
      val words = text.split("`", -1).zipWithIndex.collect { case (part, index) if index % 2 == 0 => part }.mkString(" ")
      assert("[*_]\\w|\\w[*_]|</?\\w+>".r.findFirstIn(words).isEmpty, text)
    }
  }

  test("each exercise is in the list, and in the folder of its page") {
    val folder = Installation.sources.get.resolve("exercises")
    val files = Using.resource(Files.walk(folder))(_.iterator.asScala.filter(_.toString.endsWith(".scala")).toVector)
    val written = files.filter(Files.readString(_).contains(" extends Cases["))
    val places = written.map(file => file.getParent.getFileName.toString -> file.getFileName.toString).sorted
    val listed = exercises.All().map(exercise => s"p${exercise.id.take(2)}" -> s"${exercise.getClass.getSimpleName.stripSuffix("$")}.scala")
    assertEquals(places, listed.toVector.sorted)
  }
}

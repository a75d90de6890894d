package lab.page

import lab.results.RecordedSuite
import lab.results.{JmhResults, JmhScore}

class PredictSuite extends munit.FunSuite {
  import ClaimSuite.shown

  private def quiet[T](body: => T): T = Console.withOut(java.io.OutputStream.nullOutputStream)(body)

  test("without an answer the page goes on, and says only what happened") {
    val text = shown {
      Predict.number("99-it", "how many?", "threads").reveal(3)
      Predict.choice("99-it", "which?", "this", "that").reveal("that")
    }
    assert(!text.contains("you said"), text)
    assert(Seq("3 threads", "that").forall(text.contains(_)), text)
  }

  test("a choice is answered by letter or by words") {
    for (answer <- Seq("b", " B ", "that")) {
      val guess = quiet(Predict.choice("99-it", "which?", "this", "that"))
      assert(shown { guess.is(answer); guess.reveal("that") }.contains("As you said."), answer)
    }
    val guess = quiet(Predict.choice("99-it", "which?", "this", "that"))
    assert(shown { guess.is("a"); guess.reveal("b") }.contains("Surprised?"))
  }

  test("an answer that is none of the options is refused with what there is") {
    val guess = quiet(Predict.choice("99-it", "which?", "this", "that"))
    for (answer <- Seq("c", "", "those")) assert(intercept[IllegalArgumentException](guess.is(answer)).getMessage.contains("a, b"), answer)
    intercept[IllegalArgumentException](Predict.choice("99-it", "which?", "one"))
    for (never <- Seq(1e12, Double.PositiveInfinity, Double.NaN)) {
      val refused = intercept[IllegalArgumentException](quiet(Predict.number("99-it", "how many?", "threads")).is(never)).getMessage
      assert(refused.contains("a number from 0 to 999,999,999,999 is expected"), refused)
    }
    val below = intercept[IllegalArgumentException](quiet(Predict.number("99-it", "how many?", "threads")).is(-3)).getMessage
    assert(below.contains("-3 threads") && below.contains("from 0 to"), below)
    intercept[IllegalArgumentException](Predict.choice("99-it", "which?", "one", "one"))
  }

  test("a number in quotes is a number nevertheless; words are refused, with what is expected") {
    val guess = quiet(Predict.number("99-it", "how many?", "threads"))
    assert(shown { guess.is(" 30 "); guess.reveal(30, low = 30, high = 30) }.contains("As you said."))
    val refused = intercept[IllegalArgumentException](quiet(Predict.number("99-it", "how many?", "threads")).is("thirty")).getMessage
    assert(refused.contains("'thirty'") && refused.contains("without quotes"), refused)
  }

  test("what a recorded benchmark showed is marked as recorded") {
    val score = JmhScore("cell.A.x", "avgt", Map.empty, "2.13.18", "25.0.2", 1, 0.1, "us/op")
    val recorded = new JmhResults(Vector(score.copy(recording = Some(RecordedSuite.recording))))
    def told(from: JmhResults): String = shown {
      Predict.number("99-it", "how many?", "threads").reveal(3, from)
      Predict.choice("99-it", "which?", "this", "that").reveal("that", from)
    }
    assert(Seq("3 threads", "that").forall(what => told(recorded).contains(s"happened  $what (recorded)")), told(recorded))
    assert(!told(new JmhResults(Vector(score))).contains("recorded"))
  }

  test("the question says how to answer, and once answered, what the answer is") {
    val asked = shown { Predict.number("99-it", "how many?", "threads"); () }
    assert(asked.contains("remove the `//` before `.is(…)`, enter your number"), asked)
    val guess = quiet(Predict.choice("99-it", "which?", "this", "that"))
    val answered = shown(guess.is("b"))
    assert(answered.contains("which?") && answered.contains("you say  that") && !answered.contains("To answer"), answered)
  }

  private def word(guessed: Double)(tell: Predict.Number => Unit): String = {
    val guess = quiet(Predict.number("99-it", "how many?", "threads"))
    shown { guess.is(guessed); tell(guess) }
  }

  test("a number: exact, near, and on which side") {
    for (same <- Seq(8.0, 0.0)) assert(word(same)(_.reveal(same)).contains("how many?: As you said."))
    assert(word(95)(_.reveal(100)).contains("About what you said."))
    assert(word(8)(_.reveal(2)).contains("Less than you said."))
    assert(word(2)(_.reveal(8)).contains("More than you said."))
  }

  test("the page decides what counts as right: a factor, or bounds") {
    val factor = word(16)(_.reveal(32, within = 2))
    assert(factor.contains("About what you said.") && factor.contains("right is  16 to 64 threads"), factor)
    assert(word(15)(_.reveal(32, within = 2)).contains("More than you said."))
    assert(word(20)(_.reveal(32, low = 20)).contains("About what you said."))
    assert(word(33)(_.reveal(32, low = 20)).contains("Less than you said."))
    assert(word(40)(_.reveal(32, low = 20, high = 40)).contains("About what you said."))
    for (bad <- Seq[Predict.Number => Unit](_.reveal(32, within = 0.5), _.reveal(32, low = 33), _.reveal(32, high = 31)))
      intercept[IllegalArgumentException](word(32)(bad))
  }

  test("a formula's result is shown next to what happened, and is no wrong answer") {
    val text = word(10)(_.reveal(4.5, computed = 10.7))
    assert(text.contains("✓ how many?: You said what the formula says; what happened is less."), text)
    assert(Seq("happened          4.5 threads", "the formula says  11 threads").forall(text.contains(_)), text)
    assert(word(4.5)(_.reveal(4.5, computed = 10.7)).contains("As you said."))
  }

  test("if something else decided, nobody is judged") {
    val text = word(10)(_.notDecided("the threads were not equally busy", measured = 4.5, computed = 10.7))
    assert(text.contains("– how many?: Not decided here.") && text.contains("you said          10 threads"), text)
    assert(text.contains("the threads were not equally busy") && text.contains("4.5 threads") && text.contains("11 threads"), text)
    val choice = quiet(Predict.choice("99-it", "which?", "this", "that"))
    assert(shown(choice.notDecided("too noisy")).contains("too noisy"))
    assert(shown(choice.is("a")).contains("Too late"))
  }

  test("the latest answer counts; after the experiment it is too late") {
    val guess = quiet(Predict.number("99-it", "how many?"))
    assert(shown { guess.is(1); guess.is(2); guess.reveal(2) }.contains("As you said."))
    assert(shown(guess.is(3)).contains("Too late"))
    assert(shown(guess.reveal(2)).contains("you said  2"))
  }
}

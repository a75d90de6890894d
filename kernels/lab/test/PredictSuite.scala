package lab

class PredictSuite extends munit.FunSuite {
  import ClaimSuite.shown

  private def quiet[T](body: => T): T = Console.withOut(java.io.OutputStream.nullOutputStream)(body)

  test("without an answer the page goes on and says so") {
    val text = shown {
      Predict.number("how many?", "threads").reveal(3)
      Predict.choice("which?", "this", "that").reveal("that")
      Predict.words("why?").reveal("because")
    }
    assertEquals(text.linesIterator.count(_.contains("nothing this time")), 3)
    assert(Seq("3 threads", "that", "because").forall(text.contains(_)), text)
  }

  test("a choice is answered by letter or by words") {
    for (answer <- Seq("b", " B ", "that")) {
      val guess = quiet(Predict.choice("which?", "this", "that"))
      assert(shown { guess.is(answer); guess.reveal("that") }.contains("You had it."), answer)
    }
    val guess = quiet(Predict.choice("which?", "this", "that"))
    assert(shown { guess.is("a"); guess.reveal("b") }.contains("Surprised?"))
  }

  test("an answer that is none of the options is refused with what there is") {
    val guess = quiet(Predict.choice("which?", "this", "that"))
    for (answer <- Seq("c", "", "those")) assert(intercept[IllegalArgumentException](guess.is(answer)).getMessage.contains("a, b"), answer)
    intercept[IllegalArgumentException](Predict.choice("which?", "one"))
    intercept[IllegalArgumentException](Predict.choice("which?", "one", "one"))
  }

  test("what a recorded benchmark tells is said to be recorded") {
    val score = JmhScore("cell.A.x", "avgt", Map.empty, "2.13.18", "25.0.2", 1, 0.1, "us/op")
    val recorded = new JmhResults(Vector(score.copy(recording = Some(RecordedSuite.recording))))
    def told(from: JmhResults): String = shown {
      Predict.number("how many?", "threads").reveal(3, from)
      Predict.choice("which?", "this", "that").reveal("that", from)
    }
    assert(Seq("3 threads", "that").forall(what => told(recorded).contains(s"happened  $what (recorded)")), told(recorded))
    assert(!told(new JmhResults(Vector(score))).contains("recorded"))
  }

  test("a number: exact, near, and on which side") {
    def word(guessed: Double, happened: Double): String = {
      val guess = quiet(Predict.number("how many?"))
      shown { guess.is(guessed); guess.reveal(happened) }
    }
    assert(word(8, 8).contains("You had it."))
    assert(word(95, 100).contains("Within a tenth."))
    assert(word(8, 2).contains("Less than you said."))
    assert(word(2, 8).contains("More than you said."))
    assert(word(0, 0).contains("You had it."))
  }

  test("the latest answer counts; after the experiment it is too late") {
    val guess = quiet(Predict.number("how many?"))
    assert(shown { guess.is(1); guess.is(2); guess.reveal(2) }.contains("You had it."))
    assert(shown(guess.is(3)).contains("Too late"))
    assert(shown(guess.reveal(2)).contains("you said  2"))
  }
}

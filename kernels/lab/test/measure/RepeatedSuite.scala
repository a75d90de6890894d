package lab.measure

class RepeatedSuite extends munit.FunSuite {
  import lab.page.ClaimSuite.shown

  private val quarter = Threshold(1.25, "a quarter")
  private def ratioOf(repeated: Repeated[Double]): Estimate = repeated.of("")(identity).ratio("a", "b")

  /** Measures rounds in which a is `ratio` times b, times the `noise` of the round. Also returns whether a round was disturbed. */
  private def looked(ratio: Double, noise: Int => Double = _ => 1, disturbed: Int => Boolean = _ => false) = {
    var measured = 0
    val found = Repeated.looked[Double](8, Vector("a", "b"), _.of("")(identity).undecided(quarter)("a" -> "b")) { (_, _, _) =>
      measured += 1
      (Map("a" -> ratio * noise(measured), "b" -> 1.0), disturbed(measured))
    }
    (found, measured)
  }

  test("a clear question stops at the first look, an unclear one after three times that number of rounds") {
    def wavers(by: Double)(round: Int) = math.exp(if (round % 2 == 0) by else -by)
    assertEquals(looked(1.6, wavers(0.05))._2, 8)
    assertEquals(looked(1.25, wavers(0.05))._2, 24)
    val between = looked(1.46, wavers(0.08))._2
    assertEquals(between, 16)
  }

  test("only variants of a question that isn't decided are measured again") {
    val noise = Seq(0.9, 1.1)
    val found = Repeated.looked[Double](8, Vector("a", "b", "c"), _.of("")(identity).undecided(quarter)("a" -> "b", "c" -> "b")) {
      (names, done, _) => (Map("a" -> 2.0, "b" -> 1.0, "c" -> 1.25 * noise(done % 2)).filter(one => names(one._1)), false)
    }
    assertEquals(Seq("a", "b", "c").map(found(_).size), Seq(8, 24, 24))
    val rounds = found.of("")(identity)
    assertEquals((rounds.ratio("a", "b"), s"$rounds"), (Estimate(2, 2, 2, "×"), "24 rounds of a, b, c"))
    assert(
      rounds.table("Rounds").plain.linesIterator.map(_.trim).exists(line => line.startsWith("a ") && line.endsWith(" 8")),
      rounds.table("Rounds").plain
    )
  }

  test("each of the three looks takes a third of the error, even the first") {
    val values = (1 to 8).map(n => math.exp(n / 20.0))
    val (found, _) = looked(2, n => values(n - 1))
    assertEquals(ratioOf(found), Estimate.of(values.map(2 * _), "×", 1 - 0.01 / 3))
  }

  test("a disturbed round is measured again, whatever it gave, and the table says so") {
    val (found, measured) = looked(2, disturbed = Set(3, 7))
    assertEquals((measured, found("a").size), (10, 8))
    assertEquals(found.disturbed, "other programs used the CPUs in 2 rounds, 2 of them measured again")
    assert(found.of("")(identity).table("Rounds").plain.contains("2 of them measured again"))
  }

  test("if most rounds are disturbed, only the first is measured again") {
    val (found, measured) = looked(2, disturbed = _ => true)
    assertEquals((measured, found("a").size), (9, 8))
    assertEquals(found.disturbed, "other programs used the CPUs in 9 rounds, 1 of them measured again")
  }

  test("several quantities of the same rounds; all variants by one program") {
    var found = Option.empty[Repeated[(Int, Int)]]
    val _ = shown { found = Some(Repeated.together[(Int, Int)](3, warmUp = 0)("x", "y")(Map("x" -> (2 -> 30), "y" -> (4 -> 10)))) }
    val runs = found.get
    assertEquals(
      (runs.of("")(_._1.toDouble).ratio("y", "x").value, runs.of("")(_._2.toDouble).ratio("y", "x").value).toString,
      "(2.0,0.3333333333333333)"
    )
    assertEquals(runs("x"), Vector.fill(3)((2, 30)))
    assert(intercept[NoSuchElementException](runs("z")).getMessage.contains("there are x, y"))
  }
}

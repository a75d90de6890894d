package lab.measure

import scala.collection.mutable.ArrayBuffer

class RoundsOfVariantsSuite extends munit.FunSuite {
  import lab.page.ClaimSuite.shown

  private def silent[T](body: => T): T = { var result = Option.empty[T]; shown { result = Some(body) }; result.get }

  test("each round measures every variant once, in orders that differ; the warm-up doesn't count") {
    val order = ArrayBuffer.empty[String]
    def variant(name: String, value: Double) = name -> { () => order += name; value * (1 + order.size / 1000.0) }
    val rounds = silent(Rounds(10, warmUp = 2)(variant("a", 1), variant("b", 3), variant("c", 9)))
    val each = order.grouped(3).toVector
    assertEquals(each.map(_.sorted.mkString).distinct, Vector("abc"))
    assert(each.size >= 12, each.size) // more if other programs use the CPUs
    assert(each.map(_.mkString).distinct.size > 2, each.toString)
    assertEquals(rounds.values.map { case (name, all) => name -> all.size }, Map("a" -> 10, "b" -> 10, "c" -> 10))
  }

  test("a slow round slows both variants, so the ratio is sharper than the values") {
    var round = 0
    // The machine gets slower and slower; a is always measured in the same round as b.
    val times = Iterator.from(0).map(n => math.pow(1.5, (n / 2).toDouble))
    val rounds = silent(Rounds(8, warmUp = 0)("a" -> (() => { round += 1; times.next() }), "b" -> (() => 2 * times.next())))
    assertEqualsDouble(rounds.ratio("b", "a").value, 2, 1e-9)
    assert(rounds.ratio("b", "a").isAbove(1.99) && !rounds("b").isAbove(rounds("a").high), rounds.toString)
  }

  test("two ratios are compared round by round") {
    val rounds = Rounds.measured()("a" -> Seq(1, 2, 3), "b" -> Seq(2, 4, 6), "c" -> Seq(3, 3, 3), "d" -> Seq(18, 18, 18))
    assertEqualsDouble(rounds.ratios("d" -> "c", "b" -> "a").value, 3, 1e-9)
  }

  test("a difference that isn't there isn't found") {
    val random = new scala.util.Random(3)
    val found = (1 to 200).count { _ =>
      def noisy() = math.exp(0.4 * random.nextGaussian())
      val ratio = silent(Rounds(5, warmUp = 0)("a" -> (() => noisy()), "b" -> (() => noisy()))).ratio("a", "b")
      ratio.isAbove(1) || ratio.isBelow(1)
    }
    assert(found <= 8, s"$found of 200 at 99 %")
  }

  test("values measured elsewhere are compared in the same way") {
    val rounds = Rounds.measured("ms")("a" -> Seq(1, 2, 4), "b" -> Seq(2, 4, 8))
    assertEqualsDouble(rounds.ratio("b", "a").value, 2, 1e-9)
    assertEquals(rounds("a").unit, "ms")
    def message(variants: (String, Seq[Double])*) = intercept[IllegalArgumentException](Rounds.measured()(variants: _*)).getMessage
    assert(message("a" -> Seq(1, 2, 3), "b" -> Seq(1, 2, 3, 4)).contains("b was measured 4 times, a 3 times"))
    assert(message("a" -> Seq(1, 2, 3), "b" -> Seq(1, 0, 3)).startsWith("b gave 0.0 in round 2"))
    assert(message("a" -> Seq(1, 2), "b" -> Seq(1, 2)).contains("not 2"))
  }

  test("bad input is refused with its name") {
    def message(body: => Any) = intercept[IllegalArgumentException](silent(body)).getMessage
    assert(message(Rounds(2)("a" -> (() => 1), "b" -> (() => 2))).contains("not 2"))
    assert(message(Rounds(3)("a" -> (() => 1))).contains("two variants"))
    assert(message(Rounds(3)("a" -> (() => 1), "a" -> (() => 2))).contains("different names"))
    assert(message(Rounds(3)("a" -> (() => 1), "b" -> (() => 0))).startsWith("b gave 0.0 in round 1"))
    val rounds = silent(Rounds(3)("a" -> (() => 1), "b" -> (() => 2)))
    assert(intercept[NoSuchElementException](rounds("c")).getMessage.contains("there are a, b"))
  }
}

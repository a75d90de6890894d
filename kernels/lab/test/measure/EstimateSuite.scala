package lab.measure

import lab.chart.Chart

class EstimateSuite extends munit.FunSuite {

  test("bounds of repeated measurements: geometric mean, Student's t") {
    // By hand: the logarithms are ln 8, ln 10, ln 12.5, symmetric about ln 10; s = ln 1.25; t(2; 0.995) = 9.925.
    val found = Estimate.of(Seq(8, 10, 12.5), "ms")
    assertEqualsDouble(found.value, 10, 1e-9)
    assertEqualsDouble(found.high, 10 * math.exp(9.9248 * math.log(1.25) / math.sqrt(3)), 1e-2)
    assertEqualsDouble(found.low * found.high, 100, 1e-6)
    assertEquals(Estimate.of(Seq.fill(5)(3.0)), Estimate.of(Seq.fill(3)(3.0)))
  }

  test("the bounds hold the truth as often as they say") {
    val random = new scala.util.Random(7)
    val held = (1 to 2000).count { _ =>
      val found = Estimate.of(Seq.fill(6)(math.exp(math.log(5) + 0.3 * random.nextGaussian())), confidence = 0.9)
      found.low <= 5 && 5 <= found.high
    }
    assert(held > 1750 && held < 1850, s"$held of 2,000, expected about 1,800")
  }

  test("from eight on: trimmed mean, bounds by Tukey and McLaughlin") {
    // By hand: of ten logarithms, two are cut at either end and six are kept. Winsorized, they are 3 × ln 3, ln 4, …, 3 × ln 8.
    val found = Estimate.of((1 to 10).map(_.toDouble), "ms")
    val logs = (3 to 8).map(n => math.log(n.toDouble))
    val winsorized = Seq.fill(2)(logs.head) ++ logs ++ Seq.fill(2)(logs.last)
    val deviation = math.sqrt(winsorized.map(log => math.pow(log - winsorized.sum / 10, 2)).sum / 9)
    val error = deviation / (0.6 * math.sqrt(10)) * math.sqrt(9.0 / 10 * 0.36 * 100 / (6 * 5)) // h (h - 1) instead of (0.6)² n (n - 1)
    assertEqualsDouble(found.value, math.exp(logs.sum / 6), 1e-9)
    assertEqualsDouble(found.high / found.value, math.exp(4.0321 * error), 1e-3) // t(5; 0.995)
    assertEqualsDouble(found.high * found.low, found.value * found.value, 1e-6)
  }

  test("one disturbed measurement among eight moves the bounds little; among seven, it ruins them") {
    def width(measured: Seq[Double]) = { val found = Estimate.of(measured); found.high / found.low }
    val calm = Seq(1.0, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97)
    assert(width(calm :+ 5.0) < 1.2, Estimate.of(calm :+ 5.0))
    assert(width(calm.tail :+ 5.0) > 5, Estimate.of(calm.tail :+ 5.0))
  }

  test("a ratio lies between the corners, whatever the errors are") {
    val ratio = Estimate(10, 7, 13).over(Estimate(5, 4, 7))
    assertEquals((ratio.value, ratio.low, ratio.high, ratio.unit), (2.0, 1.0, 3.25, "×"))
    val wide = Estimate(3.6, 3.2, 4.0).over(Estimate(3.8, -1.1, 8.7))
    assert(wide.low > 0.3 && wide.high.isInfinite, wide)
    assertEquals(Estimate(3.8, -1.1, 8.7).over(Estimate(2, 1, 3)).low, 0.0)
    assert(Estimate(1, Double.NegativeInfinity, Double.PositiveInfinity).over(Estimate.exactly(1)).toString.contains("no bounds"))
    intercept[IllegalArgumentException](Estimate.exactly(0).over(Estimate.exactly(1)))
  }

  test("an interval across the threshold decides nothing") {
    val quarter = Threshold(1.25, "a quarter")
    assertEquals(Seq(Estimate(1.5, 1.3, 2), Estimate(1, 0.9, 1.2), Estimate(1.3, 1.2, 1.5)).map(_.decides(quarter)), Seq(true, true, false))
  }

  test("measurements without bounds are refused, and the error shows them") {
    for (bad <- Seq(Seq(1.0, 2.0), Seq(1.0, 0.0, 2.0), Seq(1.0, Double.NaN, 2.0), Seq(1.0, Double.PositiveInfinity, 2.0)))
      assert(intercept[IllegalArgumentException](Estimate.of(bad)).getMessage.contains("three or more"), bad.toString)
    intercept[IllegalArgumentException](Estimate(2, 3, 4))
    intercept[IllegalArgumentException](Estimate(Double.NaN, 1, 2))
  }

  test("meaningless bounds aren't shown as numbers") {
    assertEquals(Estimate(1.63, 8e-7, 3e6, "×").toString, "× 1.63 (bounds that are too far apart to say anything)")
    assertEquals(Estimate(1.63, 0.1, 90, "×").toString, "× 1.63 (0.100 to 90.0)")
  }

  test("in words: three significant digits, the bounds, the unit") {
    assertEquals(Estimate(1234.5, 1200, 1300, "ms").toString, "1,235 (1,200 to 1,300) ms")
    assertEquals(Estimate(0.0123, 0.01, 0.02, "×").toString, "× 0.0123 (0.0100 to 0.0200)")
    assertEquals(Estimate.exactly(4, "threads").toString, "4.00 threads")
  }

  test("a bar reaches from bound to bound; without bounds, or with an unknown one, it is a bar alone") {
    assertEquals(Estimate(4, 3, 6, "s").bar, Chart.Value(4, error = 2, below = 1))
    val without = Seq(Estimate.exactly(4), Estimate(4, 3, Double.PositiveInfinity)).map(_.bar)
    assertEquals(without.map(one => (one.value, one.error, one.below.isNaN)), Seq.fill(2)((4.0, 0.0, true)))
  }
}

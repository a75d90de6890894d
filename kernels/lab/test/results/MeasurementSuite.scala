package lab.results

import lab.measure.Estimate

class MeasurementSuite extends munit.FunSuite {
  private val all = Vector[Measurement](
    "whole" -> 1046,
    "long" -> 3L,
    "ratio" -> Estimate(8.94, 7.32, 10.9, "×"),
    "open" -> Estimate(2, 1, Double.PositiveInfinity),
    "apart" -> Estimate(2, 0.001, 20),
    "on" -> "cells",
    "here" -> false,
    Measurement("heap", 12.5, "MiB"),
    "small" -> Estimate(0.0449, 0.0257, 0.064, "ms/op")
  )

  test("in words, as a panel shows them, and as `command/base/records.py` writes them") {
    assertEquals(
      Measurement.shown(all),
      "whole: 1,046; long: 3; ratio: × 8.94 (7.32 to 10.9); open: 2.00 (no bounds are known); apart: 2.00 (bounds that are " +
        "too far apart to say anything); on: cells; here: no; heap: 12.5 MiB; small: 0.0449 (0.0257 to 0.0640) ms/op"
    )
    assertEquals(Measurement.shown(Nil), "–")
  }

  private val recorded = Vector[(Measurement, String)](
    ("ratio" -> Estimate(8.12, 7.4, 8.91, "×"): Measurement).copy(spread = Some(Spread(7.05, 9.3, 5))) ->
      "ratio: × 8.12 (7.40 to 8.91; in 5 runs 7.05 to 9.30)",
    Measurement("asleep", 50, "threads").copy(spread = Some(Spread(48, 52, 5))) -> "asleep: 50 (in 5 runs 48 to 52) threads",
    ("whole" -> 2: Measurement).copy(spread = Some(Spread(2, 2.5, 3))) -> "whole: 2 (in 3 runs 2.00 to 2.50)",
    ("exact" -> 1046: Measurement).copy(spread = Some(Spread(1046, 1046, 3))) -> "exact: 1,046 (the same in 3 runs)"
  )

  test("a recorded number also gives the range of other runs, as `command/base/records.py` writes it") {
    for ((one, said) <- recorded) assertEquals(s"$one", said)
  }

  test("bounds beyond what a record may hold are kept as none, so that the record isn't refused") {
    val apart: Measurement = "ratio" -> Estimate.of(Seq(1, 1000, 1e-3), "×")
    assert(apart.estimate.exists(_.high > 1e12), apart)
    assertEquals(Measurement.of(apart.json).estimate.map(_.high), Some(Double.PositiveInfinity))
    val below: Measurement = "score" -> Estimate(1, -1e13, 3)
    assert(Measurement.of(below.json).estimate.exists(_.low > -1e12), below.json)
  }

  test("a kept measurement is read back unchanged") {
    val everything = all ++ recorded.map(_._1)
    assertEquals(everything.map(one => Measurement.of(one.json)), everything)
  }
}

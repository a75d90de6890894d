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

  test("in words, as a panel shows them, and as `command/base/records.py` has them") {
    assertEquals(
      Measurement.shown(all),
      "whole: 1,046; long: 3; ratio: × 8.94 (7.32 to 10.9); open: 2.00 (no bounds are known); apart: 2.00 (bounds that are " +
        "too far apart to say anything); on: cells; here: no; heap: 12.5 MiB; small: 0.0449 (0.0257 to 0.0640) ms/op"
    )
    assertEquals(Measurement.shown(Nil), "–")
  }

  test("what is kept is read back as it was") {
    assertEquals(all.map(one => Measurement.of(one.json)), all)
  }
}

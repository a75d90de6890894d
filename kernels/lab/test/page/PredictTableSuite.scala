package lab.page

class PredictTableSuite extends munit.FunSuite {
  import ClaimSuite.shown

  private def asked(): PredictTable = {
    var table = Option.empty[PredictTable]
    shown { table = Some(Predict.table("99-play", "What comes of it?", Seq("answers/s", "p95, ms"), Seq("C1", "C2"))) }
    table.get
  }

  test("the answer is shown next to what happened, and a near one is marked") {
    val table = asked()
    shown(table.is("C1", 90, 100))
    val said = shown(table.reveal("C1" -> Seq(80, 930), "C2" -> Seq(80, 930)))
    assert(said.contains("90 ✓") && !said.contains("100 ✓") && said.contains("–"), said)
  }

  test("afterwards it is too late; the reader may also say nothing") {
    val table = asked()
    val said = shown(table.reveal("C1" -> Seq(80, 930)))
    assert(said.contains("p95, ms") && !said.contains("you said"), said)
    assert(shown(table.is("C1", 80, 930)).contains("Too late"))
  }

  test("a guess for missing rows and columns isn't noted, and the cell goes on") {
    val table = asked()
    assert(shown(table.is("C9", 1, 2)).contains("C1, C2"))
    assert(shown(table.is("C1", 1)).contains("2 columns"))
    assert(shown(table.is("C1", 1, 1e13)).contains("at most 999,999,999,999"))
    assertEquals(s"$table", "0 of 2 rows filled in")
  }

  test("missing rows and columns are refused") {
    val table = asked()
    assert(intercept[IllegalArgumentException](table.reveal("C9" -> Seq(1, 2))).getMessage.contains("C1, C2"))
    assert(intercept[IllegalArgumentException](table.reveal("C1" -> Seq(1))).getMessage.contains("2 columns"))
    intercept[IllegalArgumentException](Predict.table("99-play", "?", Nil, Seq("C1")))
  }
}

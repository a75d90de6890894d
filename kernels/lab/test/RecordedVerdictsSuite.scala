package lab

import java.nio.file.Files

class RecordedVerdictsSuite extends munit.FunSuite {

  private val file = FunFixture[java.nio.file.Path](
    _ => {
      val file = Files.createTempFile("verdicts", ".csv")
      Files.writeString(
        file,
        """page,claim,sentence,verdict,share,measured,runs,on,at
          |05,A13,a smart map beats even the direct context,holds,9/10,direct / smart × 2.30 (2.10 to 2.50),10,"a machine, 2 cores",2026-11-22T10:00:00Z
          |05,A13,in other words,does not hold,10/10,–,10,"a machine, 2 cores",2026-11-22T10:00:00Z
          |""".stripMargin
      )
    },
    file => { Files.deleteIfExists(file); () }
  )

  file.test("the recorded verdict is found by id and sentence, with how often it came out, and where") { file =>
    val found = RecordedVerdicts.in(file, "A13", "a smart map beats even the direct context")
    assertEquals(found.map(_.verdict), Some("holds"))
    assertEquals(
      found.map(_.toString),
      Some("holds in 9/10 runs; direct / smart × 2.30 (2.10 to 2.50); recorded on a machine, 2 cores, 2026-11-22")
    )
  }

  file.test("another sentence, another id, no file: nothing is recorded") { file =>
    assertEquals(RecordedVerdicts.in(file, "A13", "never said"), None)
    assertEquals(RecordedVerdicts.in(file, "A12", "a smart map beats even the direct context"), None)
    assertEquals(RecordedVerdicts.in(file.resolveSibling("missing.csv"), "A13", "in other words"), None)
  }
}

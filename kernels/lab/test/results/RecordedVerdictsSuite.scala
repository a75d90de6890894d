package lab.results

import java.nio.file.Files

class RecordedVerdictsSuite extends munit.FunSuite {

  private val file = FunFixture[java.nio.file.Path](
    _ => {
      val file = Files.createTempFile("verdicts", ".csv")
      Files.writeString(
        file,
        """page,claim,sentence,kind,verdict,because,share,measured,published,runs,on,at
          |05,A13,a smart map beats even the direct context,ratio,holds,,9/10,direct / smart × 2.30 (2.10 to 2.50),direct / smart above 1,10,"a machine, 2 cores",2026-11-22T10:00:00Z
          |05,A13,in other words,,does not hold,"here, not",10/10,–,,10,"another, 8 cores",2026-11-24T10:00:00Z
          |""".stripMargin
      )
    },
    file => { Files.deleteIfExists(file); () }
  )

  file.test("the recorded verdict is found by id and sentence, with how often it came out, and where") { file =>
    val found = RecordedVerdicts.in(file).get(("A13", "a smart map beats even the direct context"))
    assertEquals(
      found.map(one => (one.verdict, one.kind, one.because, one.published)),
      Some(("holds", Option[Kind](Kind.Ratio), "", "direct / smart above 1"))
    )
    assertEquals(
      found.map(_.toString),
      Some("holds in 9/10 runs; direct / smart × 2.30 (2.10 to 2.50); recorded on a machine, 2 cores, 2026-11-22")
    )
  }

  file.test("each row has its own machine and day, and what the page said") { file =>
    val found = RecordedVerdicts.in(file)(("A13", "in other words"))
    assertEquals((found.where, found.because, found.kind), ("recorded on another, 8 cores, 2026-11-24", "here, not", None))
  }

  file.test("another sentence, another id, no file: nothing is recorded") { file =>
    assertEquals(RecordedVerdicts.in(file).keySet, Set(("A13", "a smart map beats even the direct context"), ("A13", "in other words")))
    assert(RecordedVerdicts.in(file.resolveSibling("missing.csv")).isEmpty)
  }

  file.test("a table that is torn is named, with what to do") { file =>
    val whole = Files.readString(file)
    def refused(text: String): String = {
      Files.writeString(file, text)
      intercept[IllegalStateException](RecordedVerdicts.in(file)).getMessage
    }
    Seq(whole.take(whole.length - 60), whole.take(whole.indexOf("cores")), "", whole.replace("ratio", "guess")).foreach { text =>
      assert(refused(text).contains(s"$file can't be read") && refused(text).contains("git checkout -- data/recorded"), refused(text))
    }
  }
}

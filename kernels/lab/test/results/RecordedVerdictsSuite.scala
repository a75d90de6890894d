package lab.results

import java.nio.file.{Files, Path}

import lab.measure.Estimate

class RecordedVerdictsSuite extends munit.FunSuite {

  private val file = FunFixture[Path](
    _ => {
      val file = Files.createTempFile("verdicts", ".jsonl")
      Files.writeString(
        file,
        """{"record":"recorded","version":1,"page":"05-direct","statement":"A13.smart-direct","verdict":"holds","because":"","reached":9,"runs":10,"measured":[{"name":"direct / smart","value":2.3,"low":2.1,"high":2.5,"unit":"×"}],"on":"a machine, 2 cores","at":"2026-11-22T10:00:00Z"}
          |{"record":"recorded","version":1,"page":"05-direct","statement":"A10.at-once","verdict":"does not hold","because":"here, not","reached":10,"runs":10,"measured":[],"on":"another, 8 cores","at":"2026-11-24T10:00:00Z"}
          |""".stripMargin
      )
    },
    file => { Files.deleteIfExists(file); () }
  )

  file.test("the recorded verdict is found by id, with how often it came out, what was measured, and where") { file =>
    val found = RecordedVerdicts.in(file)("A13.smart-direct")
    assertEquals(found.measured.flatMap(_.estimate), Vector(Estimate(2.3, 2.1, 2.5, "×")))
    assertEquals(
      s"$found",
      "holds in 9/10 runs; direct / smart: × 2.30 (2.10 to 2.50); recorded on a machine, 2 cores, 2026-11-22"
    )
  }

  file.test("each has its own machine and day, and what the page said") { file =>
    val found = RecordedVerdicts.in(file)("A10.at-once")
    assertEquals((found.where, found.because), ("recorded on another, 8 cores, 2026-11-24", "here, not"))
  }

  file.test("no other, and without a file none") { file =>
    assertEquals(RecordedVerdicts.in(file).keySet, Set("A13.smart-direct", "A10.at-once"))
    assert(RecordedVerdicts.in(file.resolveSibling("missing.jsonl")).isEmpty)
  }

  file.test("a file that is torn is named, with what to do") { file =>
    val whole = Files.readString(file)
    Seq(whole.take(whole.length - 60), whole.take(whole.indexOf("cores")), "\n", whole.replace("\"reached\":9", "\"reached\":\"often\""))
      .foreach { text =>
        Files.writeString(file, text)
        val said = intercept[IllegalStateException](RecordedVerdicts.in(file)).getMessage
        assert(said.contains(s"$file can't be read") && said.contains("git checkout -- data/recorded"), said)
      }
  }
}

package lab.results

import java.nio.file.{Files, Path}

import lab.page.ClaimSuite
import lab.machine.Machine
import lab.measure.Estimate
import lab.page.{Claim, Verdict}

class OwnVerdictsSuite extends munit.FunSuite {

  private val folder = FunFixture[Path](
    _ => Files.createTempDirectory("verdicts"),
    folder => {
      Files.deleteIfExists(folder.resolve("verdicts.jsonl"))
      Files.delete(folder)
    }
  )
  private val claim = Claim("B3", "a fixed pool does not hear `blocking`", measured = 2)
  private def outcomes(file: Path) = OwnVerdicts.latestIn(file).map(one => (one.id, one.sentence, one.verdict))

  folder.test("of a claim judged again, by whichever kernel, the latest counts; another sentence is another row") { folder =>
    val file = folder.resolve("verdicts.jsonl")
    assertEquals(outcomes(file), Vector.empty)
    OwnVerdicts.keepIn(file)(claim.row(Verdict.Undecided("it is noisy")))
    OwnVerdicts.keepIn(file)(claim.copy(sentence = "in other words").row(Verdict.Holds))
    OwnVerdicts.keepIn(file)(claim.row(Verdict.Depends("the JDK")))
    assertEquals(outcomes(file), Vector(("B3", "in other words", "holds"), ("B3", claim.sentence, "depends")))
  }

  folder.test("a row keeps what the panel says, its kind, the machine, and when") { folder =>
    val file = folder.resolve("verdicts.jsonl")
    val before = java.time.Instant.now
    OwnVerdicts.keepIn(file)(claim.about(Kind.Arithmetic).row(Verdict.Depends("the JDK")))
    val kept = OwnVerdicts.latestIn(file).head
    assertEquals((kept.because, kept.measured, kept.kind, kept.where), ("the JDK", "2", Kind.Arithmetic: Kind, Machine.here().toString))
    assert(kept.published.contains("Konieczny 2018") && !kept.at.isBefore(before), kept)
  }

  folder.test("a torn line, and a record of another shape, are passed over") { folder =>
    val file = folder.resolve("verdicts.jsonl")
    OwnVerdicts.keepIn(file)(claim.row(Verdict.Holds))
    Files.writeString(file, Files.readString(file) + "{\"id\":\"B3\",\"kind\":\"fine\"}\n{\"id\":\"B1\",\"sent")
    assertEquals(outcomes(file), Vector(("B3", claim.sentence, "holds")))
  }

  folder.test("where it can't be kept, the page goes on and says so") { folder =>
    val inTheWay = Files.createFile(folder.resolve("results"))
    val said = ClaimSuite.shown(OwnVerdicts.keepOrSay(inTheWay.resolve("verdicts.jsonl"))(claim.row(Verdict.Holds)))
    assert(said.contains("couldn't be kept for page 12") && said.contains("results"), said)
    Files.delete(inTheWay)
  }

  test("a claim that is judged is kept: what must be so as structure, a ratio as such, else as its claim is") {
    val sentence = s"kept by a test at ${System.nanoTime}"
    ClaimSuite.shown {
      Claim("A4", s"$sentence, 1").must(true)
      Claim("A4", s"$sentence, 2").notTried("no time")
      Claim("A3", s"$sentence, 3").ratio("this / that", Estimate(2, 1.9, 2.1, "×"), published = 2)
      Claim("A3", s"$sentence, 4").about(Kind.Arithmetic).grade(Verdict.Holds)
    }
    val kept = OwnVerdicts.latest.filter(_.sentence.startsWith(sentence))
    assertEquals(kept.map(_.kind.name), Vector("structure", "ratio", "ratio", "arithmetic"))
    assertEquals(kept.map(_.verdict), Vector("holds", "not tried", "holds", "holds"))
  }
}

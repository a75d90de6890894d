package lab.results

import java.nio.file.StandardOpenOption.{APPEND, TRUNCATE_EXISTING}
import java.nio.file.{Files, Path}

import lab.installation.JsonLines
import lab.page.{Claim, Verdict}

class ResultsSuite extends munit.FunSuite {

  private val place = FunFixture[Path](
    _ => Files.createTempDirectory("results"),
    { folder =>
      Files.list(folder).forEach(file => Files.delete(file))
      Files.delete(folder)
    }
  )
  private def fileIn(folder: Path): Path = folder.resolve(OwnRecords.name)
  private def names(folder: Path): Seq[String] = Results.allIn(folder).map(_.name)

  place.test("kept values are read back, with the machine and one reader") { folder =>
    Results.keepIn(folder)("a", 1.5, "µs")
    Results.keepIn(folder)("b", 2, "threads")
    val all = Results.allIn(folder)
    val (a, b) = (all.head, all.last)
    assertEquals((a.name, a.value, a.unit, b.unit), ("a", 1.5, "µs", "threads"))
    assertEquals((a.cpus, a.jdk), (Runtime.getRuntime.availableProcessors, Runtime.version.feature))
    assertEquals(a.reader, b.reader)
    assert(Results.table("all", all).plain.contains("1.5"))
  }

  place.test("a record torn at any byte is skipped, and the next one is complete") { folder =>
    Results.keepIn(folder)("first", 1, "µs")
    val whole = Files.readAllBytes(fileIn(folder))
    for (length <- 1 until whole.length - 1 by 7) {
      Files.write(fileIn(folder), whole, TRUNCATE_EXISTING)
      Files.write(fileIn(folder), whole.take(length), APPEND)
      assertEquals(names(folder), Seq("first"), s"torn after $length bytes")
      Results.keepIn(folder)("next", 2, "µs")
      assertEquals(names(folder), Seq("first", "next"), s"torn after $length bytes")
    }
  }

  place.test("threads that keep values simultaneously lose nothing and agree on the reader") { folder =>
    val threads = (1 to 4).map(n => new Thread(() => (1 to 25).foreach(m => Results.keepIn(folder)(s"$n-$m", 1, ""))))
    threads.foreach(_.start())
    threads.foreach(_.join(30000))
    assertEquals(names(folder).toSet.size, 100)
    assertEquals(Results.allIn(folder).map(_.reader).distinct.size, 1)
  }

  place.test("verdicts and predictions are handed in too") { folder =>
    Results.keepIn(folder)("a", 1, "µs")
    OwnRecords.keepIn(folder)(Claim("B3.fixed-pool").measured("asleep" -> 2).record(Verdict.Holds))
    OwnRecords.keepIn(folder)(OwnPrediction("01-which", "which?", "choice").answered("a"))
    val handedIn = folder.resolve("mine.jsonl")
    Results.exportFrom(folder, handedIn)
    val records = JsonLines.read(handedIn)
    assertEquals(records.map(_.get("record").getAsString), Vector("export", "figure", "verdict", "prediction"))
    assertEquals(records.head.get("reader").getAsString, Results.allIn(folder).head.reader)
    assert(records.tail.forall(_.getAsJsonObject("machine").has("cpus")), records)
  }

  place.test("no folder of the user is handed in") { folder =>
    val home = System.getProperty("user.home")
    Results.keepIn(folder)(s"read $home/secret.txt", 1, "µs")
    val handedIn = folder.resolve("mine.jsonl")
    Results.exportFrom(folder, handedIn)
    val text = Files.readString(handedIn)
    assert(text.contains("read ~/secret.txt") && !text.contains(home), text)
  }

  place.test("a value that isn't a number is refused") { folder =>
    intercept[IllegalArgumentException](Results.keepIn(folder)("a", Double.NaN, "µs"))
    assert(!Files.exists(fileIn(folder)))
  }
}

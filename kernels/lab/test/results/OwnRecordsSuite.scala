package lab.results

import java.nio.file.{Files, Path}

import com.google.gson.JsonObject

import lab.machine.Machine
import lab.page.{Claim, Predict, Verdict}

import scala.jdk.CollectionConverters._

class OwnRecordsSuite extends munit.FunSuite {
  import lab.page.ClaimSuite.shown

  private val folder = FunFixture[Path](
    _ => Files.createTempDirectory("records"),
    folder => {
      Files.list(folder).iterator.asScala.foreach(Files.delete(_))
      Files.delete(folder)
    }
  )
  private val claim = Claim("B3.fixed-pool").measured("asleep" -> 2)
  private def kept(folder: Path): Vector[JsonObject] = OwnRecords.allIn(folder)
  private def told(record: JsonObject, names: String*): Seq[String] = names.map(name => s"${record.get(name)}")

  folder.test("if any kernel judges a statement again, the latest verdict counts") { folder =>
    assertEquals(OwnVerdict.latestIn(folder), Map.empty[String, OwnVerdict])
    for (verdict <- Seq(Verdict.Undecided("it is noisy"), Verdict.Depends("the JDK"))) OwnRecords.keepIn(folder)(claim.record(verdict))
    OwnRecords.keepIn(folder)(Claim("B9.stealing").record(Verdict.Holds))
    assertEquals(
      OwnVerdict.latestIn(folder).view.mapValues(_.verdict).toMap,
      Map("B3.fixed-pool" -> "depends", "B9.stealing" -> "holds")
    )
  }

  folder.test("the latest verdict is the one with the latest time, wherever it is: records of a former form may be added later") { folder =>
    OwnRecords.keepIn(folder)(claim.record(Verdict.Holds))
    val file = folder.resolve(OwnRecords.name)
    val whole = Files.readString(file)
    val earlier = whole.replaceFirst("\"at\":\"\\d+", "\"at\":\"2001").replace("\"holds\"", "\"depends\"")
    Files.writeString(file, whole + earlier)
    assertEquals(OwnVerdict.latestIn(folder).values.map(_.verdict).toSeq, Seq("holds"))
  }

  folder.test("after the clock was set back, the latest verdict is the one that was kept last") { folder =>
    OwnRecords.keepIn(folder)(claim.record(Verdict.Holds))
    val file = folder.resolve(OwnRecords.name)
    Files.writeString(file, Files.readString(file).replaceFirst("\"at\":\"\\d+", "\"at\":\"2999"))
    OwnRecords.keepIn(folder)(claim.record(Verdict.Depends("the JDK")))
    assertEquals(OwnVerdict.latestIn(folder).values.map(_.verdict).toSeq, Seq("depends"))
  }

  folder.test("a verdict is read back with what was measured, the machine, and when") { folder =>
    val before = java.time.Instant.now
    OwnRecords.keepIn(folder)(claim.record(Verdict.Depends("the JDK")))
    val one = OwnVerdict.latestIn(folder)("B3.fixed-pool")
    val measured = Vector[Measurement]("asleep" -> 2)
    assertEquals((one.because, one.measured, one.where), ("the JDK", measured, Machine.here().toString))
    assert(!one.at.isBefore(before), one)
  }

  folder.test("a torn line is skipped, and so is a record of another form or version") { folder =>
    OwnRecords.keepIn(folder)(claim.record(Verdict.Holds))
    val file = folder.resolve(OwnRecords.name)
    val whole = Files.readString(file)
    val others =
      Seq(whole.replace("\"version\":1", "\"version\":2"), whole.replace("2.0}", "[2]}"), "{\"record\":\"verdict\"}\n", whole.take(40))
    Files.writeString(file, others.mkString.replace("B3.fixed-pool", "B1.as-many-as-cpus"))
    OwnRecords.keepIn(folder)(claim.record(Verdict.Holds))
    assertEquals(OwnVerdict.latestIn(folder).keySet, Set("B3.fixed-pool"))
  }

  folder.test("if it can't be kept, the page goes on and says so") { folder =>
    val inTheWay = Files.createFile(folder.resolve("results"))
    val said = shown(OwnRecords.keepOrSay(inTheWay)("The verdict")(claim.record(Verdict.Holds)))
    assert(said.contains("The verdict couldn't be kept") && said.contains("results"), said)
  }

  folder.test("all records have one reader, and their numbers are numbers") { folder =>
    OwnRecords.keepIn(folder)(OwnPrediction("99-which", "which?", "choice").answered("a"))
    OwnRecords.keepIn(folder)(claim.record(Verdict.Holds))
    OwnRecords.keepIn(folder)(ExerciseAttempt.record("01-count", 2, 5))
    Results.keepIn(folder)("a", 1, "µs")
    assertEquals(kept(folder).map(_.get("reader").getAsString).distinct.size, 1)
    assert(kept(folder).forall(_.getAsJsonObject("machine").get("cpus").getAsJsonPrimitive.isNumber))
    assertEquals(told(kept(folder)(2), "record", "exercise", "passed", "cases"), Seq("\"attempt\"", "\"01-count\"", "2", "5"))
    assertEquals(ExerciseAttempt.in(folder).map(_.isSolved), Vector(false))
  }

  /** Returns what a page records about predictions while `body` runs. */
  private def predicted(body: => Unit): Vector[JsonObject] = {
    val before = kept(OwnRecords.folder.get).size
    shown(body)
    kept(OwnRecords.folder.get).drop(before).filter(_.has("prediction"))
  }

  test("an answer is kept when it is given, and again with what happened: a choice as its letter") {
    val both = predicted {
      val guess = Predict.choice("99-which", "which?", "this", "that")
      guess.is("that")
      guess.reveal("this")
    }
    assertEquals(
      both.map(told(_, "prediction", "kind", "options")).distinct,
      Vector(Seq("\"99-which\"", "\"choice\"", "[\"this\",\"that\"]"))
    )
    assertEquals(
      both.map(told(_, "answer", "happened", "right", "revealed")),
      Vector(Seq("\"b\"", "null", "null", "null"), Seq("\"b\"", "\"a\"", "false", "true"))
    )
  }

  test("a number has its unit, and the bounds of what is right; a formula's value is next to them") {
    val revealed = predicted {
      val guess = Predict.number("99-many", "how many?", "threads")
      guess.is(3)
      guess.reveal(2, within = 2, computed = 4)
    }.last
    assertEquals(
      told(revealed, "unit", "answer", "happened", "low", "high", "computed", "right"),
      Seq("\"threads\"", "3.0", "2.0", "1.0", "4.0", "4.0", "true")
    )
  }

  test("an unanswered question is kept with what happened, and not judged; an undecided one, too") {
    val silent = predicted(Predict.number("99-many", "how many?").reveal(2)).head
    assertEquals(told(silent, "answer", "happened", "right"), Seq("null", "2.0", "null"))
    val undecided = predicted {
      val guess = Predict.number("99-many", "how many?")
      guess.is(1)
      guess.notDecided("it is noisy", measured = 5)
    }.last
    assertEquals(told(undecided, "happened", "right", "because"), Seq("5.0", "null", "\"it is noisy\""))
    assertEquals(told(predicted(Predict.number("99-many", "how many?").notDecided("no", measured = 1 / 0.0)).last, "happened"), Seq("null"))
  }

  test("a table is kept row by row") {
    val revealed = predicted {
      val table = Predict.table("99-play", "what comes of it?", Seq("a", "b"), Seq("C1", "C2"))
      table.is("C1", 1, 2)
      table.reveal("C1" -> Seq(1, 3), "C2" -> Seq(5, Double.NaN))
    }.last
    assertEquals(
      told(revealed, "kind", "rows", "columns", "answer", "happened"),
      Seq("\"table\"", "[\"C1\",\"C2\"]", "[\"a\",\"b\"]", "{\"C1\":[1.0,2.0]}", "{\"C1\":[1.0,3.0],\"C2\":[5.0,null]}")
    )
  }

  test("a prediction's name begins with its page's number") {
    assert(intercept[IllegalArgumentException](Predict.number("many", "how many?")).getMessage.contains("'many'"))
  }
}

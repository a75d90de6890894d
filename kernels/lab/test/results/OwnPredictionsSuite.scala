package lab.results

import java.nio.file.{Files, Path}

import com.google.gson.JsonObject

import lab.installation.JsonLines
import lab.page.{Predict, PredictTable}

class OwnPredictionsSuite extends munit.FunSuite {
  import lab.page.ClaimSuite.shown

  private val place = FunFixture[Path](
    _ => Files.createTempDirectory("predictions"),
    folder => {
      Files.deleteIfExists(folder.resolve(OwnFolder.predictions))
      Files.delete(folder)
    }
  )

  /** What the page's own words keep while `body` runs, of this question. */
  private def kept(question: String)(body: => Unit): Vector[JsonObject] = {
    shown(body)
    val all = JsonLines.read(OwnFolder.ifAny.get.resolve(OwnFolder.predictions))
    all.filter(_.get("question").getAsString == question)
  }
  private def unique(words: String): String = s"$words (${System.nanoTime})"
  private def told(record: JsonObject, names: String*): Seq[String] = names.map(name => s"${record.get(name)}")

  test("an answer is kept when it is given, and again with what happened and how it was judged") {
    val question = unique("which?")
    val both = kept(question) {
      val guess = Predict.choice(question, "this", "that")
      guess.is("b")
      guess.reveal("this")
    }
    assertEquals(both.size, 2)
    val (given, revealed) = (both.head, both.last)
    assertEquals(told(given, "kind", "options", "answer", "happened"), Seq("\"choice\"", "[\"this\",\"that\"]", "\"that\"", "null"))
    assertEquals(told(revealed, "answer", "happened", "right", "revealed"), Seq("\"that\"", "\"this\"", "false", "true"))
    assert(revealed.get("judged").getAsString.startsWith("Surprised?"), revealed)
    val machine = revealed.getAsJsonObject("machine")
    assertEquals(machine.get("cpus").getAsInt, Runtime.getRuntime.availableProcessors)
    assert(revealed.get("reader").getAsString == given.get("reader").getAsString && revealed.has("page"), revealed)
  }

  test("a number has its unit, and the bounds of what is right; a formula's value stands beside them") {
    val question = unique("how many?")
    val revealed = kept(question) {
      val guess = Predict.number(question, "threads")
      guess.is(3)
      guess.reveal(2, within = 2, computed = 4)
    }.last
    assertEquals(
      told(revealed, "unit", "answer", "happened", "low", "high", "computed", "right"),
      Seq("\"threads\"", "3.0", "2.0", "1.0", "4.0", "4.0", "true")
    )
  }

  test("a question that nobody answered is kept with what happened, and judged by nobody; so is one that wasn't decided") {
    val question = unique("how many?")
    val silent = kept(question)(Predict.number(question).reveal(2)).head
    assertEquals(told(silent, "answer", "happened", "right", "judged"), Seq("null", "2.0", "null", "null"))
    val open = unique("how many?")
    val undecided = kept(open) {
      val guess = Predict.number(open)
      guess.is(1)
      guess.notDecided("it is noisy", measured = 5)
    }.last
    assertEquals(told(undecided, "happened", "right", "because"), Seq("5.0", "null", "\"it is noisy\""))
    assertEquals(told(kept(open)(Predict.number(open).notDecided("no round", measured = 1 / 0.0)).last, "happened"), Seq("null"))
  }

  test("a table is kept row by row, and the reader's own words as they are") {
    val question = unique("what comes of it?")
    val revealed = kept(question) {
      val table = PredictTable(question, Seq("a", "b"), Seq("C1", "C2"))
      table.is("C1", 1, 2)
      table.reveal("C1" -> Seq(1, 3), "C2" -> Seq(5, Double.NaN))
    }.last
    assertEquals(
      told(revealed, "kind", "rows", "columns", "answer", "happened"),
      Seq("\"table\"", "[\"C1\",\"C2\"]", "[\"a\",\"b\"]", "{\"C1\":[1.0,2.0]}", "{\"C1\":[1.0,3.0],\"C2\":[5.0,null]}")
    )
  }

  place.test("where it can't be kept, the page goes on and says so") { folder =>
    val inTheWay = Files.createFile(folder.resolve("results"))
    val said = shown(OwnPredictions.keepOrSay(inTheWay)(OwnPrediction("which?", "choice").answered("this")))
    assert(said.contains("couldn't be kept for your class"), said)
    Files.delete(inTheWay)
  }

  place.test("all predictions have one reader, who is that of the results") { folder =>
    val record = OwnPrediction("which?", "choice").answered("this")
    OwnPredictions.keepIn(folder)(record)
    val reader = OwnFolder.readerIn(folder)
    OwnPredictions.keepIn(folder)(record)
    Results.keepIn(folder)("a", 1, "µs")
    assertEquals(JsonLines.read(folder.resolve(OwnFolder.predictions)).map(_.get("reader").getAsString), Vector(reader, reader))
    assertEquals(Results.allIn(folder).map(_.reader), Vector(reader))
    Files.delete(folder.resolve(OwnFolder.measured))
  }

  test("of a page's file its number is kept, not the name that a reader gave to a copy") {
    assertEquals(OwnPredictions.pageOf("/home/me/notebooks/04-blocking.ipynb"), "04")
    assertEquals(OwnPredictions.pageOf("04-blocking-by-Ada.ipynb"), "04")
    assertEquals(Seq("", "Ada.ipynb", "/").map(OwnPredictions.pageOf), Seq("", "", ""))
  }
}

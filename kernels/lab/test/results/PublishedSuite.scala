package lab.results

import java.nio.file.{Files, Path}

import com.google.gson.{JsonObject, JsonParser}

import scala.jdk.CollectionConverters._

class PublishedSuite extends munit.FunSuite {
  private val home = Path.of(sys.props.getOrElse("course.home", fail("course.home is not set")))

  /** The claims that have a published figure which is a number. */
  private val withFigures =
    "A1 A6 A11 A12 A13 A17 A20 B1 B2 B3 B8 C1 C2 C3 C4 C5 C6 C7 C10 D1 E1 E3 F1 F2 F3 F4 F5 F6 G9".split(' ').toVector

  test("every claim with a published figure is there, and no other") {
    assertEquals(Published.all.map(_.claim).distinct, withFigures)
  }

  test("figures as published, with error, unit and source") {
    val table = Published("A11").map(figure => figure.quantity.split(": ").last -> figure.shown).toMap
    assertEquals(
      table,
      Map(
        "direct" -> "4.056 ± 0.163 µs",
        "global" -> "62.999 ± 17.757 µs",
        "single thread" -> "18.046 ± 0.722 µs",
        "smart" -> "1.693 ± 0.1 µs"
      )
    )
    assertEquals(
      Published("A11").map(_.source).distinct,
      Vector(
        "Dmitry Komanov, “Writing Async App in Scala. Part 3: Threading Model”, 2020 (Scala 2.12; JMH, average time, 5 iterations; machine not said)"
      )
    )
    assertEquals(Published("B8").size, 12)
    assertEquals(Published("B8").filter(_.quantity.startsWith("average time")).map(_.value), Vector(12.241, 0.046))
    assertEquals(Published("C7").map(_.shown), Vector("45 requests/s", "38 s", "2 time-outs"))
    assertEquals(Published("F5").map(_.shown), Vector("5.7 s"))
    assert(Published("F5").forall(!_.source.startsWith(",")))
    assert(Published.table("D1").plain.contains("Mińkowski"))
  }

  test("every claim of the articles is there, in order, and says what it claims") {
    val ids = Seq("A" -> 21, "B" -> 9, "C" -> 17, "D" -> 4, "E" -> 4, "F" -> 6, "G" -> 14).flatMap { case (article, n) =>
      (1 to n).map(i => s"$article$i").flatMap {
        case "C9" => Seq("C9a", "C9b", "C9c") // three propositions, a row each
        case id   => Seq(id)
      }
    }
    assertEquals(Published.claims.map(_.id), ids.toVector)
    assertEquals(Published.claims.filter(claim => claim.text.length < 20 || claim.conditions.isEmpty), Vector.empty)
    for (figure <- Published.all) {
      val claim = Published.claim(figure.claim)
      assertEquals((claim.article, claim.author, claim.year), (figure.article, figure.author, figure.year), figure.claim)
    }
  }

  test("one figure by its name, and the ratio of two") {
    assertEquals(Published("A11", "global").value, 62.999)
    assertEquals(Published.ratio("A11", "global", "single thread"), 62.999 / 18.046)
    val message = intercept[IllegalArgumentException](Published("B8", "without")).getMessage
    assert(message.contains("6 figures of B8 are called 'without'"), message)
    assert(intercept[IllegalArgumentException](Published("A11", "parasitic")).getMessage.contains("single thread"))
    assert(
      intercept[IllegalArgumentException](Published.ratio("C1", Published("C1").head.quantity, Published("C1").last.quantity)).getMessage
        .contains("requests/s")
    )
  }

  test("a claim without figures is refused, with the claims that have some") {
    val message = intercept[IllegalArgumentException](Published("A2")).getMessage
    assert(message.contains("'A2'") && message.contains("A11"), message)
  }

  test("a file that is missing, has other columns or a word instead of a number is named, with what is wrong") {
    def message(content: String): String = {
      val file = Files.createTempFile("figures", ".csv")
      try {
        Files.writeString(file, content)
        intercept[IllegalStateException](Published.read(file)).getMessage
      } finally Files.delete(file)
    }
    val header = Published.columns.mkString(",")
    assert(message("claim,value\nA1,1\n").contains("has the columns claim, value"))
    assert(message(s"$header\nA1,a,b,2020,c,q,many,,u,n\n").contains("many"))
    assert(message(s"$header\nA1,a,b,2020,c,q,1,,u,n,m\n").contains("has 11 fields, expected are 10: put a text"))
    assert(intercept[IllegalStateException](Published.read(Path.of("nowhere.csv"))).getMessage.contains("nowhere.csv is missing"))
  }

  test("data/README.md describes the file and every column") {
    val text = Files.readString(home.resolve("data").resolve("README.md"))
    assert(text.contains("published/figures.csv"))
    assert(text.contains("published/claims.csv") && text.contains("published/statements.csv"))
    val columns = (Published.columns ++ Published.claimColumns ++ Published.statementColumns).distinct
    assertEquals(columns.filterNot(column => text.linesIterator.exists(_.startsWith(s"| `$column` |"))), Vector.empty[String])
  }

  test("names of verdicts, kinds and records, and their version, are those of the schema") {
    val schema = JsonParser.parseString(Files.readString(home.resolve("data").resolve("records.schema.json"))).getAsJsonObject
    val definitions = schema.getAsJsonObject("definitions")
    def names(of: JsonObject): Vector[String] = of.getAsJsonArray("enum").asScala.map(_.getAsString).toVector
    assertEquals(names(definitions.getAsJsonObject("verdictName")), lab.page.Verdict.names)
    assertEquals(names(definitions.getAsJsonObject("kind")), Kind.all.map(_.name))
    assertEquals(schema.getAsJsonObject("properties").getAsJsonObject("version").get("const").getAsInt, Record.version)
  }

  test("each statement belongs to a claim, has its own id, and names the heading and paragraph of its article") {
    assertEquals(Published.statements.map(_.id).distinct.size, Published.statements.size)
    assertEquals(Published.statements.filter(one => one.text.length < 10 || one.heading.isEmpty || one.paragraph.isEmpty), Vector.empty)
    assertEquals(Published.statements.map(_.claim).distinct, Published.claims)
  }

  test("each statement says where it would be false, or why the set-up decides its verdict; most of them count") {
    val silent = Published.statements.filter(one => one.falseWhere.length < 10 && one.byConstruction.length < 10)
    assertEquals(silent.map(_.id), Vector.empty[String])
    assert(Published.statements.count(_.counts) > Published.statements.size / 2, s"${Published.statements.count(_.counts)} count")
  }
}

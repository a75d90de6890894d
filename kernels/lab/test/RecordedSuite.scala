package lab

import java.nio.file.{Files, Path}
import java.time.Instant

class RecordedSuite extends munit.FunSuite {

  private val folder = Files.createTempDirectory("recorded")
  private val recording = Recording("a quiet test machine", Instant.parse("2026-11-21T10:00:00Z"), Map("cpus" -> "2"), "%%jmh -f 3")
  private val measured = new JmhResults(
    for {
      scala <- Vector("2.12.20", "2.13.18"); jdk <- Vector("11.0.13", "17.0.9", "21.0.8", "25.0.2");
      (name, score) <- Seq("near" -> 1.0, "far" -> 60.25)
    } yield JmhScore(
      s"cell.Futures.$name",
      "avgt",
      Map("n" -> "100"),
      scala,
      jdk,
      score,
      if (name == "near") Double.NaN else 0.5,
      "us/op",
      Vector(score, 1.0 / 3),
      percentiles = if (name == "far") Map(50.0 -> 60.0, 99.9 -> 77.5) else Map.empty
    )
  )

  override def afterAll(): Unit = ClassCache.delete(folder)

  private def kept: JmhResults = {
    Recorded.write(folder, "05-test", recording, measured)
    Recorded.read(folder, "05-test")
  }

  test("what was recorded is read back with where it comes from") {
    val (one, read) = (measured.scores.last, kept)
    assertEquals(read.recordings, Vector(recording))
    assertEquals(read.scores.size, 16)
    assertEquals(read.scores.last.copy(recording = None, samples = one.samples), one)
    assertEquals(read.scores.last.samples, Vector(60.25, 0.333333))
    assert(read.scores.head.error.isNaN)
    assertEquals(Recorded.namesIn(folder), Vector("05-test"))
  }

  test("charts, tables and scores say that they are recorded, also when mixed with live ones") {
    val read = kept
    val mark = "recorded on a quiet test machine, 2026-11-21"
    assert(read.charts.head.title.endsWith(s"($mark)"), read.charts.head.title)
    assert(read.table.caption.contains(mark))
    assert(read.scores.head.toString.contains(mark))
    val mixed = (measured.filter(_.scala == "2.13.18") ++ read.filter(_.scala == "2.12.20")).charts.head
    assert(mixed.table.plain.contains(s"Scala 2.12.20, JDK 25, $mark") && mixed.table.plain.contains("Scala 2.13.18, JDK 25, here and now"))
    assert(!measured.charts.head.plain.contains("recorded"))
  }

  test("more versions than colours stand along the axis") {
    assertEquals(kept.charts.head.table.header, Seq("version", "near (n=100)", "far (n=100)"))
    assertEquals(kept.filter(_.scala == "2.13.18").charts.head.table.header.head, "benchmark")
  }

  test("what isn't there or can't be read is named") {
    assert(kept.scores.nonEmpty)
    assert(intercept[IllegalArgumentException](Recorded.read(folder, "05-nothing")).getMessage.contains("there is 05-test"))
    assert(intercept[IllegalArgumentException](Recorded.read(folder, "../secret")).getMessage.contains("../secret"))
    Files.writeString(folder.resolve("06-torn.json"), Files.readString(folder.resolve("05-test.json")).take(200))
    assert(intercept[IllegalStateException](Recorded.read(folder, "06-torn")).getMessage.contains("06-torn.json"))
  }

  test("what the course holds can be read, and names its machine and how it was measured") {
    val home = Path.of(sys.props("course.home"), "data", "recorded")
    Recorded.namesIn(home).foreach { name =>
      val results = Recorded.read(home, name)
      assert(results.scores.nonEmpty && results.recordings.forall(r => r.on.nonEmpty && r.command.startsWith("%%jmh ")), name)
    }
  }
}

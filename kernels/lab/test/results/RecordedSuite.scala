package lab.results

import java.nio.file.{Files, Path}
import java.time.Instant

import lab.process.Scratch

class RecordedSuite extends munit.FunSuite {

  private val folder = Files.createTempDirectory("recorded")
  private val recording = RecordedSuite.recording
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
      forks = if (name == "far") Vector(60.0, 60.25, 60.5) else Vector.empty,
      percentiles = if (name == "far") Map(50.0 -> 60.0, 99.9 -> 77.5) else Map.empty
    )
  )

  override def afterAll(): Unit = Scratch.delete(folder)

  private def kept: JmhResults = {
    Recorded.write(folder, "05-test", recording, measured)
    Recorded.read(folder, "05-test")
  }

  test("recorded scores are read back with where they come from") {
    val (one, read) = (measured.scores.last, kept)
    assertEquals(read.recordings, Vector(recording))
    assertEquals(read.scores.size, 16)
    assertEquals(read.scores.last.copy(recording = None, run = "", samples = one.samples), one)
    assertEquals(read.scores.last.run, "2.13.18 on 25.0.2")
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

  test("one of many versions is taken: this one, or else the nearest") {
    def versions(of: JmhResults, scala: String, jdk: Int) = {
      val nearest = of.nearest(scala, jdk)
      assertEquals(nearest.scores.map(_.name), Vector("Futures.near", "Futures.far"), s"$scala, $jdk: one score for each benchmark")
      assertEquals((nearest("near").score, nearest("far").score), (1.0, 60.25))
      (nearest.scores.head.scala, nearest.scores.head.jdk)
    }
    val read = kept
    assertEquals(versions(read, "2.12.20", 17), ("2.12.20", "17.0.9"))
    assertEquals(versions(read, "2.13.18", 25), ("2.13.18", "25.0.2"))
    assertEquals(versions(read, "2.13.18", 26), ("2.13.18", "25.0.2"))
    assertEquals(versions(read, "2.12.3", 11), ("2.12.20", "11.0.13"))
    assertEquals(versions(read, "3.3.1", 8), ("2.13.18", "25.0.2"))
    assertEquals(versions(read.nearest("2.12.20", 17), "2.13.18", 25), ("2.12.20", "17.0.9"))
    val older = new JmhResults(read.scores.map(score => score.copy(scala = score.scala.replace("2.13.18", "2.13.9"))))
    assertEquals(versions(read ++ older, "2.13.99", 25), ("2.13.18", "25.0.2"))
    assertEquals(JmhResults.none.nearest("2.13.18", 25).scores, Vector.empty)
  }

  test("scores from a JDK that the course can't fetch come before the others, with their own day") {
    val eight = recording.copy(at = Instant.parse("2026-11-22T10:00:00Z"))
    val old = measured.filter(_.jdk == "11.0.13").scores.map(_.copy(jdk = "1.8.0_504", score = 2))
    val ownOnly = kept
    Recorded.write(folder, "05-test-jdk8", eight, new JmhResults(old))
    try {
      val both = Recorded.withOthers(folder, "05-test")
      assertEquals(both.scores.size, 20)
      assertEquals(both.recordings, Vector(eight, recording))
      assertEquals(Recorded.namesIn(folder), Vector("05-test"))
      val newer = both.filter(_.scala == "2.13.18").charts.head.table
      assertEquals(newer.header.take(3), Seq("benchmark", "JDK 8, 2026-11-22", "JDK 11, 2026-11-21"))
      assertEquals(s"${both.nearest("2.13.18", 25).scores}", s"${ownOnly.nearest("2.13.18", 25).scores}")
      assertEquals(both.nearest("2.12.20", 8).scores.map(_.jdk).distinct, Vector("1.8.0_504"))
      assertEquals(both.recordedConditions.map(_.split(": ")(1)).head, "64 CPUs, JDK 8, Scala 2.12.20, 2.13.18, profile full")
      val file = folder.resolve("05-test-jdk8.json")
      assertEquals(Recorded.controlIn(folder, "05-test").scores, Vector.empty)
      Files.writeString(file, Files.readString(file).replace("\"scores\"", "\"scores\": [], \"control\""))
      val control = Recorded.controlIn(folder, "05-test")
      assertEquals(control.scores.map(score => (score.score, score.recording)).distinct, Vector((2.0, Some(eight))))
      assertEquals(Recorded.withOthers(folder, "05-test").recordings, Vector(recording))
    } finally Files.delete(folder.resolve("05-test-jdk8.json"))
  }

  test("results say where they come from") {
    val read = kept
    assertEquals(measured.where, "measured here and now")
    assertEquals(read.where, "recorded on a quiet test machine, 2026-11-21")
    assertEquals((measured ++ read).where, s"${measured.where}; ${read.where}")
    assertEquals(s"$read", s"16 scores, ${read.where}")
    assertEquals(
      read.filter(_.scala == "2.13.18").recordedConditions,
      Vector(s"${read.where}: 64 CPUs, JDK 11, 17, 21, 25, Scala 2.13.18, profile full")
    )
    assertEquals(measured.recordedConditions, Vector.empty)
  }

  test("if there are more versions than colours, they go along the axis") {
    assertEquals(kept.charts.head.table.header, Seq("version", "near (n=100)", "far (n=100)"))
    assertEquals(kept.filter(_.scala == "2.13.18").charts.head.table.header.head, "benchmark")
  }

  test("a missing or unreadable file is named") {
    assert(kept.scores.nonEmpty)
    assert(intercept[IllegalArgumentException](Recorded.read(folder, "05-nothing")).getMessage.contains("there is 05-test"))
    assert(intercept[IllegalArgumentException](Recorded.read(folder, "../secret")).getMessage.contains("../secret"))
    Files.writeString(folder.resolve("06-torn.json"), Files.readString(folder.resolve("05-test.json")).take(200))
    assert(intercept[IllegalStateException](Recorded.read(folder, "06-torn")).getMessage.contains("06-torn.json"))
  }

  test("the course's recordings can be read, and name their machine and how they were measured") {
    val home = Path.of(sys.props("course.home"), "data", "recorded")
    Recorded.namesIn(home).foreach { name =>
      val results = Recorded.withOthers(home, name)
      assert(results.scores.nonEmpty && results.recordings.forall(r => r.on.nonEmpty && r.command.startsWith("%%jmh ")), name)
    }
  }
}

object RecordedSuite {
  val recording: Recording =
    Recording("a quiet test machine", Instant.parse("2026-11-21T10:00:00Z"), Map("cpus" -> 64, "profile" -> "full"), "%%jmh -f 3")
}

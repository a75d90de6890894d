package lab.magic.jmh

import java.nio.file.Path

import lab.results.RecordedSuite
import lab.page.ClaimSuite
import lab.machine.Profile
import lab.magic.{CellCompiler, CellMagic, MagicOptions}
import lab.measure.Estimate
import lab.process.{CompiledProgram, Jvm}
import lab.results.{JmhCharts, JmhResults}

import scala.concurrent.duration._

class JmhSuite extends munit.FunSuite {

  CellMagic.register(Jmh)
  private def options(line: String): Options = Options.parse(MagicOptions.words(line))
  private def refused(line: String): String = intercept[BenchmarkRefused](options(line)).getMessage

  test("a line is split into ours and JMH's") {
    val parsed = options("-f 2 --scala 2.12,2.13 -prof gc --jdk=17,25 --name fast -jvmArgsAppend \"-Xint -ea\" Sums.*")
    assertEquals(
      parsed,
      Options(
        Vector("2.12", "2.13"),
        Vector(17, 25),
        Vector.empty,
        "fast",
        None,
        Vector("-f", "2", "-prof", "gc", "-jvmArgsAppend", "-Xint -ea", "Sums.*")
      )
    )
    assertEquals(options("--recorded 05-future-map").recorded, Some("05-future-map"))
    assertEquals(options(""), Options())
  }

  test("benchmarks may use the libraries of systems and programs, in Scala 3 too") {
    Seq("one", "other").foreach(name => CompiledProgram.keep(new CompiledProgram(name, Vector.empty, Vector(Jvm.lab))))
    val parsed = options("--scala 3 --with one,other -f 2")
    assertEquals(parsed, Options(scala = Vector("3"), systems = Vector("one", "other"), jmh = Vector("-f", "2")))
    assertEquals(parsed.shortened.systems, Vector("one", "other"))
    assert(refused("--with").contains("--with play"))
  }

  test("a missing system is named, with the available ones") {
    assume(sys.props.contains("course.home"), "this is no kernel of the course")
    val message = refused("--scala 3 --with rails")
    assert(message.contains("--with rails") && message.contains("ox"), message)
  }

  test("a short run takes the options that were given for it, and only the session's versions if a full run is recorded") {
    val line = options("-bm avgt,ss -i 9 --jdk 17,25 --quick \"-i 5 -w 100ms\"")
    assertEquals((line.quick, line.jmh), (Vector("-i", "5", "-w", "100ms"), Vector("-bm", "avgt,ss", "-i", "9")))
    assertEquals(line.shortened.jmh, Vector("-bm", "avgt,ss", "-i", "5", "-w", "100ms"))
    assertEquals(line.shortened.jdks, Vector(17, 25))
    assertEquals(
      options("--jdk 17,25 --scala 2.12 --recorded 05-future-map -i 9").shortened,
      Options(recorded = Some("05-future-map"), jmh = Vector("-i", "9"))
    )
    assertEquals(options("--scala 2.12,3 --recorded 05-future-map").shortened.scala, Vector("3"))
    Seq("--quick", "--quick --jdk", "--quick fast").foreach(line => assert(refused(line).contains("--quick \"-wi 2 -i 5\""), line))
  }

  test("an invalid option is named, with valid options") {
    assert(refused("--forks 3").contains("--forks") && refused("--forks 3").contains("--jdk"))
    assert(refused("-jvm /bin/java").contains("use --jdk"))
    assert(refused("-o out.txt").contains("-o"))
    assert(refused("--jdk").contains("--jdk 17,25"))
    assert(refused("--jdk -f 1").contains("needs a value"))
    assert(refused("--jdk new").contains("--jdk new"))
    assert(refused("--name val").contains("--name val"))
    assert(refused("--name 1st").contains("--name 1st"))
    assert(refused("--recorded ../x").contains("--recorded ../x"))
  }

  test("the profile decides what neither options nor annotations do") {
    val quick = options("").complete(Profile.Quick, "class A")
    assertEquals(quick, "-f 5 -wi 2 -w 150ms -i 2 -r 100ms -foe true".split(' ').toVector)
    assertEquals(options("-f 8").complete(Profile.Smoke, "class A").take(2), Vector("-f", "3"))
    assert(options("-f2 -i 7").complete(Profile.Quick, "class A").containsSlice(Seq("-foe", "true", "-f2", "-i", "7")))
    assertEquals(options("-f2 -i 7").complete(Profile.Quick, "").count(word => word == "-f" || word == "-i"), 1)
    assert(!options("").complete(Profile.Full, "@Fork(2) class A").contains("-f"))
    assert(options("").complete(Profile.Full, "// no @Fork here\nclass A").containsSlice(Seq("-f", "8")))
    assert(!options("").complete(Profile.Full, "@Warmup(iterations = 2) class A").exists(Set("-w", "-wi")))
  }

  test("a magic cell becomes Scala that binds its name and finds its text, line numbers kept") {
    val code = "%%jmh -f 1 --name fast\nimport x.y\n\nclass A"
    val Bound = """val fast = _root_\.lab\.magic\.jmh\.Jmh\.run\(_root_\.lab\.magic\.CellMagic\.take\((\d+)\)\)""".r
    CellMagic.translate(code) match {
      case Some(Bound(id)) =>
        val cell = CellMagic.take(id.toInt)
        assertEquals(cell.options, Vector("-f", "1", "--name", "fast"))
        assertEquals(cell.body.linesIterator.indexOf("class A"), 3)
        intercept[NoSuchElementException](CellMagic.take(id.toInt))
      case other => fail(s"translated to $other")
    }
    assert(CellMagic.translate("%%jmh --name 1st\nclass A").exists(_.startsWith("_root_")), "a bad name is told when the cell runs")
    assert(CellMagic.translate("%%jmh").nonEmpty)
    Seq("", "val x = 1\n%%jmh", "%%nobody\nx", "%%jmhx", " %%jmh").foreach(code => assertEquals(CellMagic.translate(code), None))
  }

  test("a source without a package gets one on the line of the options") {
    assertEquals(Build.packaged("\nimport a.b\nclass C"), "package cell\nimport a.b\nclass C")
    assertEquals(Build.packaged("\n// why\npackage a.b\nclass C"), "\n// why\npackage a.b\nclass C")
  }

  test("scalac's report reads in lines of the cell") {
    val said =
      Vector("/tmp/x/cell.scala:5: error: not found: value x", "  x", "  ^", "/tmp/x/cell.scala:7: warning: old", "1 warning", "1 error")
    val refused = Build.refusal(2, CellCompiler.report(said, "cell.scala")).map(_.getMessage)
    assertEquals(refused, Some("the benchmarks don't compile.\nline 5: not found: value x\n  x\n  ^\nline 7: warning: old"))
    assertEquals(Build.refusal(0, said), None)
  }

  test("JMH's progress says where it is") {
    val at = BenchmarkProgress("cell.Sums.loop", "n=10, kind=x", 1, 2, warmUp = true, 0, 3, 0.25, 90000, "")
    assertEquals(BenchmarkProgress.unapply(at.line), Some("" -> at))
    assertEquals(BenchmarkProgress.unapply(s"a benchmark prints dots ...${at.line}"), Some("a benchmark prints dots ..." -> at))
    assertEquals(BenchmarkProgress.unapply("%%jmh of a benchmark's own"), None)
    assertEquals(RunLine.place(None), "JMH starts")
    assertEquals(RunLine.place(Some(at.copy(fork = 0))), "Sums.loop (n=10, kind=x)")
    assertEquals(RunLine.place(Some(at)), "Sums.loop (n=10, kind=x), fork 1 of 2")
    assertEquals(RunLine.place(Some(at.copy(iteration = 2))), "Sums.loop (n=10, kind=x), fork 1 of 2, warm-up 2 of 3 done")
    val measuring = at.copy(params = "", warmUp = false, iteration = 1, iterations = 5)
    assertEquals(RunLine.place(Some(measuring)), "Sums.loop, fork 1 of 2, iteration 1 of 5 done")
    assertEquals(RunLine.prospect(Some(90.seconds), -90.seconds), ", about 1 min 30 s left")
    assertEquals(RunLine.prospect(None, Duration.Zero), "")
    assert(RunLine.prospect(Some(Duration.Zero), 20.seconds).startsWith(", 20 s longer than planned"))
  }

  test("a dead fork's own words are kept, JMH's and the JDK's frames go") {
    val said = Vector(
      "# Fork: 1 of 1",
      "WARNING: sun.misc.Unsafe::objectFieldOffset will be removed in a future release",
      "last words",
      "java.lang.RuntimeException: on purpose",
      "\tat cell.A.dies(cell.scala:4)",
      "\tat cell.jmh_generated.A_dies_jmhTest.x(A_dies_jmhTest.java:1)",
      "\tat java.base/java.lang.Thread.run(Unknown Source)",
      "<forked VM failed with exit code 7>",
      "Benchmark had encountered error, and fail on error was requested",
      "ERROR: org.openjdk.jmh.runner.RunnerException"
    )
    assertEquals(
      Run.failure(1, Some("cell.A.dies"), said).linesIterator.toVector,
      Vector(
        "A.dies failed. Its JVM and JMH said:",
        "last words",
        "java.lang.RuntimeException: on purpose",
        "\tat cell.A.dies(line 4)",
        "<forked VM failed with exit code 7>"
      )
    )
    assertEquals(
      Run.failure(0, Some("cell.A.dies"), said, Some("the disk is full")).linesIterator.take(2).mkString(" "),
      "the disk is full JMH ended without writing complete scores. It said:"
    )
    assert(Run.failure(1, None, Vector("-x is not a recognized option")).startsWith("JMH did not run (exit code 1)"))
  }

  private val json =
    """[{"benchmark": "cell.Sums.loop", "mode": "avgt", "jdkVersion": "25.0.2", "params": {"n": "10"},
      |  "primaryMetric": {"score": 4.0, "scoreError": 0.5, "scoreUnit": "us/op", "rawData": [[3.9, 4.1], [4.0, 4.0]]},
      |  "secondaryMetrics": {"gc.alloc.rate": {"score": 100.5, "scoreError": "NaN", "scoreUnit": "MB/sec"}}},
      | {"benchmark": "cell.Sums.range", "mode": "avgt", "jdkVersion": "25.0.2",
      |  "primaryMetric": {"score": 8.0, "scoreError": "NaN", "scoreUnit": "us/op", "rawData": [[8.0]]}, "secondaryMetrics": {}}]""".stripMargin

  private lazy val results = new JmhResults(Run.read(json, "2.13.18"))

  test("JMH's JSON becomes scores") {
    val loop = results("loop")
    assertEquals((loop.name, loop.params, loop.score, loop.error, loop.unit), ("Sums.loop", Map("n" -> "10"), 4.0, 0.5, "us/op"))
    assertEquals((loop.samples, loop.forks), (Vector(3.9, 4.1, 4.0, 4.0), Vector(4.0, 4.0)))
    assertEquals(loop.more, Map("gc.alloc.rate" -> (100.5 -> "MB/sec")))
    assert(results("Sums.range").error.isNaN)
    assertEquals(results("range").estimate.high, Double.PositiveInfinity)
  }

  test("the percentiles of sampled times are kept") {
    val sampled = """[{"benchmark": "cell.Sums.loop", "mode": "sample", "jdkVersion": "25.0.2", "primaryMetric":
      |  {"score": 9.0, "scoreError": 1.0, "scoreUnit": "us/op", "scorePercentiles": {"0.0": 1.0, "50.0": 8.5, "100.0": 70.0}}}]""".stripMargin
    assertEquals(Run.read(sampled, "2.13.18").head.percentiles, Map(0.0 -> 1.0, 50.0 -> 8.5, 100.0 -> 70.0))
    val histograms = sampled.replace("}}}]", """}, "rawDataHistogram": [[[[8.0, 3], [12.0, 1]], [[9.0, 1]]], [[[10.0, 2]]]]}}]""")
    assertEquals(
      Run.read(histograms, "2.13.18").map(score => (score.forks, score.samples)),
      Vector((Vector(9.0, 10.0), Vector.empty[Double]))
    )
    assertEquals(results("loop").percentiles, Map.empty[Double, Double])
  }

  test("scores are compared within their errors, and only if they measure the same") {
    val measured = new JmhResults(results.scores.map(score => if (score.error.isNaN) score.copy(error = 1) else score))
    val ratio = measured.ratio("range", "loop")
    assertEquals((ratio.value, ratio.unit), (2.0, "×"))
    assertEqualsDouble(ratio.low, 7 / 4.5, 1e-9) // 8 ± 1 and 4 ± 0.5: the corners
    assertEqualsDouble(ratio.high, 9 / 3.5, 1e-9)
    assert(!results.ratio("range", "loop").isAbove(1), "a score without an error decides nothing")
    val other = results("loop").copy(unit = "ns/op")
    assert(intercept[IllegalArgumentException](other.over(results("range"))).getMessage.contains("-tu"))
    assert(intercept[NoSuchElementException](results("nothing")).getMessage.contains("Sums.loop"))
    assert(intercept[NoSuchElementException]((results ++ results)("loop")).getMessage.contains("filter"))
  }

  private def forked(name: String, forks: Double*): String =
    s"""{"benchmark": "cell.Sums.$name", "mode": "avgt", "jdkVersion": "25.0.2", "secondaryMetrics": {}, "primaryMetric":
       | {"score": ${forks.sum / forks.size}, "scoreError": 0.01, "scoreUnit": "us/op", "rawData": ${forks
        .map(mean => s"[${mean - 0.5}, ${mean + 0.5}]")
        .mkString("[", ", ", "]")}}}""".stripMargin

  test("from three forks on, their means count, and a ratio is taken within each round") {
    // The machine slows down by half. The scores are far apart, and in each round one is twice the other.
    val slowing = Seq(4.0, 4.5, 5.0, 5.5, 6.0)
    val run = s"[${forked("loop", slowing: _*)}, ${forked("range", slowing.map(mean => 2 * mean + mean % 1 / 5): _*)}]"
    val (once, again) = (new JmhResults(Run.read(run, "2.13.18")), new JmhResults(Run.read(run, "2.13.18")))
    assertEquals((once("loop").forks, once("loop").samples.size), (slowing.toVector, 10))
    assertEquals(once("loop").estimate, Estimate.of(slowing, "us/op"))
    assertEquals(once("loop").score, once("loop").estimate.value)
    val together = once.ratio("range", "loop")
    assert(together.low > 1.9 && together.high < 2.1, s"$together")
    val apart = again("range").over(once("loop"))
    assert(apart.low < 1.5 && apart.high > 2.5, s"of another run: $apart")
    assert(once.charts.head.title.contains(s"range ${together.toString.drop(2)} × as long"), once.charts.head.title)
    assertEquals(once.table.rows.map(_(5)), Seq("5", "5"))
    val two = new JmhResults(Run.read(s"[${forked("loop", 4, 5)}]", "2.13.18"))
    assertEquals(two("loop").error, 0.01, "of fewer JMH's own error")
  }

  test("the chart says which is best and by how much, unless their bounds don't decide") {
    val chart = results.charts.head
    assertEquals(chart.title, "loop (n=10) takes 4.00 µs/op, range 2.00 (1.78 to 2.29) × as long")
    assert(chart.figure.json.contains("error_y"), chart.figure.json)
    val blurred = new JmhResults(results.scores.map(_.copy(error = 5)))
    assert(
      blurred.charts.head.title
        .startsWith("No difference can be seen: loop (n=10) 4.00 (-1.00 to 9.00) µs/op, range 8.00 (3.00 to 13.0) µs/op")
    )
    val throughput = new JmhResults(results.scores.map(_.copy(mode = "thrpt", unit = "ops/us")))
    assert(throughput.charts.head.title.startsWith("range does 8.00 ops/µs, 2.00 (1.78 to 2.29) × as many as loop"))
    assertEquals((results ++ throughput).charts.size, 2)
  }

  test("each version is a series, named by what differs") {
    val older = new JmhResults(results.scores.map(_.copy(scala = "2.12.20")))
    val chart = (older ++ results).charts.head
    assertEquals(chart.table.header, Seq("benchmark", "Scala 2.12.20", "Scala 2.13.18"))
  }

  test("title, axis and table of a chart have one unit, and so has the table of all scores") {
    val small = new JmhResults(results.scores.map(score => score.copy(score = score.score / 10, error = score.error / 10)))
    val chart = small.charts.head
    assertEquals(small.table.rows.map(_.last), Seq("ns/op", "MB/sec", "ns/op"))
    assertEquals(small.table.rows.map(_(6)).filter(_ != "101"), Seq("400", "800"))
    assertEquals(small.scores.map(_.unit).distinct, Vector("us/op"))
    assertEquals(chart.title, "loop (n=10) takes 400 ns/op, range 2.00 (1.78 to 2.29) × as long")
    assertEquals(chart.table.caption, "average time (ns/op)")
    assert(chart.table.rows.head.exists(_.startsWith("400")), s"${chart.table.rows}")
    assert(chart.figure.json.contains("average time (ns/op)"), chart.figure.json)
  }

  test("the chart's unit leaves a digit before the point") {
    assertEquals(JmhCharts.readableUnit("us/op", 0.04), ("ns/op", 1000.0))
    assertEquals(JmhCharts.readableUnit("ns/op", 2500.0), ("us/op", 0.001))
    assertEquals(JmhCharts.readableUnit("ops/ns", 0.02), ("ops/us", 1000.0))
    assertEquals(JmhCharts.readableUnit("ops/s", 20.0), ("ops/s", 1.0))
    assertEquals(JmhCharts.readableUnit("#", 20.0), ("#", 1.0))
  }

  test("numbers keep three significant digits") {
    assertEquals(Seq(0.0461, 4.056, 63.0, 1234.5, 0.0).map(Estimate.digits), Seq("0.0461", "4.06", "63.0", "1,235", "0"))
  }

  test("only with one CPU and in a short run, the recorded run replaces a measurement") {
    def instead(line: String, short: Boolean = true, cpus: Int = 1) = Jmh.instead(options(line), short, cpus, Vector("05-future-map"))
    assertEquals(instead("--recorded 05-future-map --jdk 17,25"), Some("05-future-map"))
    assertEquals(instead("--recorded 05-future-map", cpus = 2), None)
    assertEquals(instead("--recorded 05-future-map", short = false), None, "in the full profile, or recording")
    assertEquals(instead("--recorded 99-nothing"), None, "nothing is recorded as that")
    assertEquals(Jmh.instead(options("-f 1"), short = true, cpus = 1, fail("nobody needs to look")), None)
  }

  private val recorded = new JmhResults(results.scores.map(_.copy(recording = Some(RecordedSuite.recording))))

  test("a replacement says why, from where, of which versions, and what to run to measure") {
    def versions(scala: String, jdk: String) = new JmhResults(recorded.scores.map(_.copy(scala = scala, jdk = jdk)))
    val own = versions(util.Properties.versionNumberString, s"${Runtime.version.feature}.0.2")
    val text = Jmh.notMeasured("futureMap", "05-future-map", own).plain
    assert(
      text.startsWith("– Not measured here: this JVM has 1 CPU. You see the full run recorded on a quiet test machine, 2026-11-21."),
      text
    )
    assert(text.contains("`futureMap`  its scores for Scala 2.13") && !text.contains("nearest"), text)
    assert(text.endsWith("run the next cell, `Jmh.live(\"05-future-map\")`."), text)
    assert(Jmh.notMeasured("x", "05-x", versions("2.12.20", "9.0.1")).plain.contains("Scala 2.12.20, JDK 9.0.1, the nearest to yours"))
  }

  private def told(body: => JmhResults): (String, JmhResults) = {
    var came = JmhResults.none
    (ClaimSuite.shown { came = body }, came)
  }

  test("the button: measured results are returned any number of times") {
    val button = new OnDemand
    button.measured("05-x", results)
    for (_ <- 1 to 3) {
      val (text, came) = told(button.press("05-x", Vector.empty))
      assert((came eq results) && text.startsWith("▶ Measured here") && text.linesIterator.size == 1, text)
    }
  }

  test("the button: for results that were only shown, the first press announces, the second measures, and the cell resets it") {
    val button = new OnDemand
    var measuring = 0
    def shown(): Unit = button.shown("05-x", recorded, () => { measuring += 1; results })
    for (round <- 1 to 2) {
      shown()
      val (text, first) = told(button.press("05-x", Vector("05-x")))
      assert((first eq recorded) && measuring == round - 1, "the first press measures nothing")
      assert(
        text.startsWith("▶ Run this cell once more to measure it here, then the cells below it again.") && text.contains("recorded"),
        text
      )
      assert((told(button.press("05-x", Vector("05-x")))._2 eq results) && measuring == round, "the second measures")
      val (after, third) = told(button.press("05-x", Vector("05-x")))
      assert((third eq results) && measuring == round && after.startsWith("▶ Measured here"), "and so it stays")
    }
  }

  test("the button: a measurement that fails is tried again by the next press") {
    val button = new OnDemand
    var tries = 0
    button.shown("05-x", recorded, () => { tries += 1; if (tries == 1) throw new BenchmarkRefused("not yet") else results })
    told(button.press("05-x", Vector("05-x")))
    intercept[BenchmarkRefused](button.press("05-x", Vector("05-x")))
    assert(button.press("05-x", Vector("05-x")) eq results)
  }

  test("the button: before its cell, after a failed cell, and with an unknown name, it says what to do") {
    val button = new OnDemand
    def early(): String = intercept[IllegalStateException](button.press("05-x", Vector("05-x", "06-y"))).getMessage
    assert(Seq("05-x", "comes first", "Run that cell").forall(early().contains(_)), early())
    button.measured("05-x", results)
    button.forget("05-x")
    assert(early().contains("Run that cell"))
    button.measured("07-own", results)
    val unknown = intercept[IllegalArgumentException](button.press("05-z", Vector("05-x"))).getMessage
    assert(Seq("05-z", "expected", "05-x, 07-own", "Correct the name").forall(unknown.contains(_)), unknown)
  }

  test("another Scala version takes only what fits it") {
    val files =
      Vector("lab.jar", "a_2.13-1.0.jar", "b_2.12-1.0.jar", "c_3-1.0.jar", "gson-2.11.0.jar", "scala-library-2.13.3.jar").map(
        Path.of(_)
      )
    def kept(version: String) = Jmh.suitable(files, version, Path.of("lab.jar")).map(_.toString)
    assertEquals(kept("2.13.18"), Vector("lab.jar", "a_2.13-1.0.jar", "gson-2.11.0.jar"))
    assertEquals(kept("2.12.20"), Vector("b_2.12-1.0.jar", "gson-2.11.0.jar"))
    assertEquals(kept("3.3.7"), Vector("lab.jar", "a_2.13-1.0.jar", "c_3-1.0.jar", "gson-2.11.0.jar"))
  }
}

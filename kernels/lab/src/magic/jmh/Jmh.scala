package lab.magic.jmh

import java.nio.file.Path

import lab.installation.{Installation, Jdks, Scalac, Tools}
import lab.machine.Profile
import lab.magic.{CellMagic, MagicCell, MagicOptions, SessionClasses, Systems}
import lab.process.Jvm
import lab.results.{JmhResults, OwnRecords, Recorded, Recording}
import lab.show.{Display, Panel}

import scala.util.Properties

/** Runs `%%jmh` cells. The cell's other lines are one source file of JMH benchmarks, in ordinary Scala with JMH's annotations.
  *
  * The cell is compiled by scalac and run by JMH in forked JVMs, while it shows its progress and the time that is left. It ends with a
  * chart, a table and a [[lab.results.JmhResults]] in the session, called `results` or what `--name` says.
  *
  * Options are JMH's own (`-f`, `-wi`, `-i`, `-w`, `-r`, `-bm`, `-tu`, `-p`, `-t`, `-prof gc`, a pattern of names, …), and
  *   - `--scala 2.12,2.13` runs all of it with each of these Scala versions; `--scala 3` is for a source in Scala 3,
  *   - `--jdk 11,17,21,25` runs it on each of these JDKs,
  *   - `--with ox` lets the source use the libraries of a system, as in a `%%program` cell,
  *   - `--name fast` binds the results to another name,
  *   - `--recorded 05-future-map` leaves the versions to the full profile. In the quick profile, the cell measures only on the session's
  *     own versions (a source in Scala 3, on Scala 3), and shows the full run from `data/recorded` below (see [[lab.results.Recorded]]).
  *     With one CPU, it then measures nothing. It shows only the recorded run, and binds the scores of the versions nearest to the
  *     session's own. [[live]] measures even so. If `COURSE_RECORD` names the machine, the cell records its results there,
  *   - `--quick "-wi 2 -i 5"` replaces these JMH options in the quick profile.
  *
  * JMH runs the forks of a benchmark one after the other. Here they are rounds. Each round runs one fork of every benchmark, in a new
  * random order. A fork is run again if other programs used the CPUs during it. Bounds and ratios therefore rest on the forks, of which
  * they need at least three.
  *
  * The profile sets forks, iterations and their length, unless an option or the source's own `@Fork`, `@Warmup` or `@Measurement` does. The
  * source may use the lab and what the session has imported by `import \$ivy`, but nothing that other cells define. With another Scala
  * version, only Java libraries and those without a Scala version in their name are left of these imports. For Scala 3, those of Scala 2.13
  * are left, too.
  *
  * Every error is an error of the cell. If a source doesn't compile, the error has the cell's line numbers
  * ([[lab.magic.jmh.BenchmarkRefused]]). If a benchmark throws or a fork dies, the error holds what it printed
  * ([[lab.magic.jmh.BenchmarkFailed]]). An interrupt ends every JVM that was started.
  */
object Jmh extends CellMagic {
  def name: String = "jmh"

  def scala(cell: MagicCell): String =
    MagicOptions.bound(
      cell.options,
      s"_root_.lab.magic.jmh.Jmh.run(_root_.lab.magic.CellMagic.take(${cell.id}))",
      Some(Options.defaultName)
    )

  /** Compiles and runs the benchmarks of `cell`, or shows their recorded run. The Scala that replaces the cell calls it. */
  def run(cell: MagicCell): JmhResults = {
    val asked = Options.parse(cell.options)
    val profile = Profile.current
    val short = profile != Profile.Full && Recorded.machineInWords.isEmpty
    // Checked before the measurement, which takes minutes.
    asked.recorded.foreach(_ => Recorded.folder)
    asked.recorded.foreach(onDemand.forget)
    instead(asked, short, Runtime.getRuntime.availableProcessors, Recorded.names) match {
      case Some(name) =>
        val results = own(Recorded(name))
        notMeasured(asked.name, name, results).show()
        recorded(name)
        onDemand.shown(name, results, () => measure(cell, asked, profile, short))
        results
      case None =>
        val results = measure(cell, asked, profile, short)
        asked.recorded.foreach { name =>
          if (short) recorded(name)
          onDemand.measured(name, results)
        }
        results
    }
  }

  /** Returns the results of the `%%jmh` cell with `--recorded` and this name, and works as its button. If that cell measured, the result is
    * what it measured. If it showed a recorded run, the first call returns the recorded run, and says that running the cell once more
    * measures here. The second call measures, with charts and table like the cell itself. It returns only the scores of the versions
    * nearest to the session's own, so that there is one for each benchmark. If the `%%jmh` cell runs again, all this starts from the
    * beginning.
    *
    * {{{
    * val futureMap = Jmh.live("05-future-map")
    * }}}
    *
    * @throws java.lang.IllegalStateException if that cell hasn't run in this kernel yet
    * @throws java.lang.IllegalArgumentException if nobody knows such a cell
    */
  def live(name: String): JmhResults = own(onDemand.press(name, Recorded.names))

  private val onDemand = new OnDemand

  /** Returns the name of the recorded run that is shown instead of a measurement. One CPU can't run two threads simultaneously, and has the
    * kernel to run as well.
    */
  private[jmh] def instead(asked: Options, short: Boolean, cpus: Int, there: => Vector[String]): Option[String] =
    asked.recorded.filter(name => short && cpus == 1 && there.contains(name))

  private def own(results: JmhResults): JmhResults = results.nearest(Properties.versionNumberString, thisJdk)

  private[jmh] def notMeasured(value: String, name: String, results: JmhResults): Panel = {
    val versions = results.scores.headOption.map(score => (score.scala, score.jdk))
    val held = versions.fold("nothing") { case (scala, jdk) => s"its scores for Scala $scala, JDK $jdk" }
    val (scala, jdk) = (Properties.versionNumberString, thisJdk)
    val nearest =
      if (results.scores.headOption.exists(score => score.scala == scala && score.jdkNumber == s"$jdk")) ""
      else s", the nearest to yours, Scala $scala, JDK $jdk"
    Panel(
      Panel.Open,
      "Not measured here",
      s"this JVM has 1 CPU. You see the full run ${results.where}.",
      Seq(s"`$value`" -> s"$held$nearest"),
      s"To measure it here anyway, run the next cell, `Jmh.live(\"$name\")`."
    )
  }

  private def measure(cell: MagicCell, asked: Options, profile: Profile, short: Boolean): JmhResults = {
    val tools = Installation.tools
    val (jmh, cache) = (tools.jars("jmh"), tools.cache("jmh"))
    val options = if (short) asked.shortened else asked
    val jmhOptions = options.complete(profile, cell.body)
    val versions = if (options.scala.isEmpty) Vector(Properties.versionNumberString) else options.scala
    val (jdks, missing) = split(options.jdks)
    val line = new RunLine
    val builds = versions.map(compiler(tools, _)).distinct.map { scalac =>
      scalac.version -> Build(
        scalac,
        jmh,
        libraries(scalac.version) ++ Systems.classPath(options.systems),
        cell.body,
        cache,
        line.compiling
      )
    }
    val runs = for { (version, built) <- builds; jdk <- jdks } yield (jdk, Run(built, version, jdk.map(Jdks(_)), jmhOptions))
    val (scores, disturbed) = runs.zipWithIndex.map { case ((jdk, run), index) =>
      val where = Option.when(runs.sizeIs > 1)(s"Scala ${run.scala}, JDK ${jdk.getOrElse(thisJdk)}")
      line.begin(where, index, runs.size)
      run(cache)(line.hear, () => line.tick())
    }.unzip
    val results = new JmhResults(scores.flatten, missing)
    line.done(results, disturbed.filter(_.nonEmpty))
    show(results)
    for { name <- asked.recorded; on <- Recorded.machineInWords } record(name, on, jmhOptions, results)
    results
  }

  private def record(name: String, on: String, options: Vector[String], results: JmhResults): Unit = {
    val recording = Recording(on, java.time.Instant.now, OwnRecords.machine - "load", s"%%jmh ${options.mkString(" ")}")
    Display.show(Map("text/plain" -> s"Recorded: ${Recorded.write(Recorded.folder, name, recording, results)}"))
  }

  private def recorded(name: String): Unit =
    // If a screen can't hold all bars, a table says more.
    if (Recorded.names.contains(name))
      Recorded(name).charts.foreach(chart =>
        if (chart.table.rows.size * chart.table.header.size > 32)
          chart.table.copy(caption = s"${chart.title}: ${chart.table.caption}").show()
        else chart.show()
      )
    else Console.err.println(s"Nothing is recorded as $name yet; COURSE_PROFILE=full measures all versions here")

  private def compiler(tools: Tools, wish: String): Scalac = tools.scalac(wish).getOrElse {
    val there = s"%%jmh: --scala $wish: not here; there are ${tools.scalacs.mkString(" and ")}"
    throw new BenchmarkRefused((there +: tools.failure.toSeq.flatMap(Seq(_, Installation.remedy))).mkString(". "))
  }

  /** Returns the JDKs to run on (`None` means this one), and a message for each that isn't here.
    *
    * @throws lab.magic.jmh.BenchmarkRefused if none of them is here
    */
  private def split(wanted: Vector[Int]): (Vector[Option[Int]], Vector[String]) =
    if (wanted.isEmpty) (Vector(None), Vector.empty)
    else {
      val (there, absent) = wanted.partition(Jdks.available.contains)
      val missing = absent.map(Jdks.missing)
      if (there.isEmpty) throw new BenchmarkRefused(s"%%jmh: ${missing.mkString("; ")}")
      (there.map(jdk => Option.when(jdk != thisJdk)(jdk)), missing)
    }

  private def thisJdk: Int = Jdks.own

  private def show(results: JmhResults): Unit = {
    results.charts.foreach(_.show())
    results.table.show()
    results.missing.foreach(what => Console.err.println(s"Not measured: $what"))
  }

  /** Returns what the session imported, and the lab. */
  private def libraries(version: String): Vector[Path] = {
    suitable((Jvm.lab +: SessionClasses.imported).distinct, version, Jvm.lab)
  }

  private[jmh] def suitable(files: Vector[Path], version: String, lab: Path): Vector[Path] = {
    // Scala 3 also reads what Scala 2.13 compiled.
    val binaries = if (version.startsWith("3.")) Seq("3", "2.13") else Seq(version.split('.').take(2).mkString("."))
    val readsLab = binaries.exists(binary => Properties.versionNumberString.startsWith(s"$binary."))
    files.filter { file =>
      val name = file.getFileName.toString
      val forScala = "_(2\\.1\\d|3)[-_.]".r.findFirstMatchIn(name).map(_.group(1))
      !name.startsWith("scala-library") && forScala.forall(binaries.contains) && (file != lab || readsLab)
    }
  }
}

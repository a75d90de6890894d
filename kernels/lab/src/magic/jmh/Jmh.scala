package lab.magic.jmh

import java.nio.file.Path

import lab.installation.{Installation, Jdks, Scalac, Tools}
import lab.machine.Profile
import lab.magic.{CellMagic, MagicCell, MagicOptions, SessionClasses}
import lab.process.Jvm
import lab.results.{JmhResults, OwnRecords, Recorded, Recording}
import lab.show.{Display, Panel}

import scala.util.Properties

/** `%%jmh`: the cell's other lines are one source file of JMH benchmarks, ordinary Scala with JMH's annotations.
  *
  * It is compiled by scalac and run by JMH in forked JVMs while the cell shows how far it is and how long it takes yet. It ends in a chart,
  * a table and a [[lab.results.JmhResults]] in the session, called `results` or what `--name` says.
  *
  * Options are JMH's own (`-f`, `-wi`, `-i`, `-w`, `-r`, `-bm`, `-tu`, `-p`, `-t`, `-prof gc`, a pattern of names, …), and
  *   - `--scala 2.12,2.13` runs all of it with each of these Scala versions,
  *   - `--jdk 11,17,21,25` on each of these JDKs,
  *   - `--name fast` binds the results to another name,
  *   - `--recorded 05-future-map` leaves the versions to the full profile: in the quick one the cell measures on the session's own alone,
  *     and shows beneath it the full run that lies in `data/recorded` (see [[lab.results.Recorded]]). With one CPU it measures nothing
  *     then and shows the recorded run alone, of which it binds the session's own versions; [[live]] measures all the same. Where
  *     `COURSE_RECORD` names the machine, the cell puts its results there,
  *   - `--quick "-wi 2 -i 5"` puts these options of JMH's in place of the same ones in the quick profile.
  *
  * JMH runs the forks of a benchmark one after the other. Here they are rounds: in each of them every benchmark has one, in an order that is
  * drawn anew, and one beside which other programs used the CPUs is run anew. So three forks or more are what bounds and ratios rest on.
  *
  * Forks, iterations and their length are the profile's where neither an option nor the source's own `@Fork`, `@Warmup` or `@Measurement`
  * says otherwise. The source may use the lab and what the session has imported by `import \$ivy`, but nothing that other cells define.
  * With another Scala version only Java libraries and those without a Scala version in their name are left of these.
  *
  * Every error is an error of the cell: a source that doesn't compile, with the cell's line numbers ([[lab.magic.jmh.BenchmarkRefused]]); a
  * benchmark that throws or a fork that dies, with what it said ([[lab.magic.jmh.BenchmarkFailed]]). An interrupt ends every JVM that was
  * started.
  */
object Jmh extends CellMagic {
  def name: String = "jmh"

  def scala(cell: MagicCell): String =
    MagicOptions.bound(
      cell.options,
      s"_root_.lab.magic.jmh.Jmh.run(_root_.lab.magic.CellMagic.take(${cell.id}))",
      Some(Options.defaultName)
    )

  /** Compiles and runs the benchmarks of `cell`, or shows the recorded run of them; called by the Scala that stands for it. */
  def run(cell: MagicCell): JmhResults = {
    val asked = Options.parse(cell.options)
    val profile = Profile.parse(sys.env.get("COURSE_PROFILE"))
    val short = profile == Profile.Quick && Recorded.machineInWords.isEmpty
    // Said before the minutes that a measurement takes.
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

  /** The button behind a `%%jmh` cell with `--recorded` and this name: where that cell measured, its results; where it showed what is
    * recorded, first this, with a word that running the cell once more measures here, and then what it measures, with charts and table as
    * the cell itself has them. Of the results those of the session's own versions, so that there is one score for each benchmark. Running
    * the `%%jmh` cell again starts anew.
    *
    * {{{
    * val futureMap = Jmh.live("05-future-map")
    * }}}
    *
    * @throws java.lang.IllegalStateException if that cell hasn't run in this kernel yet
    * @throws java.lang.IllegalArgumentException if there is no such cell that anybody knows of
    */
  def live(name: String): JmhResults = own(onDemand.press(name, Recorded.names))

  private val onDemand = new OnDemand

  /** The name of the recorded run that is shown in place of a measurement: one CPU can't run two threads side by side, and has the kernel
    * to run besides.
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
      s"this JVM has 1 CPU. Shown is the full run ${results.where}.",
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
      scalac.version -> Build(scalac, jmh, libraries(scalac.version), cell.body, cache, line.compiling)
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
    // More bars than a screen holds say more as a table.
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

  /** The JDKs to run on (`None`: this one), and a word on each that isn't here.
    *
    * @throws lab.magic.jmh.BenchmarkRefused if none of them is
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

  /** What the session imported, and the lab. */
  private def libraries(version: String): Vector[Path] = {
    suitable((Jvm.lab +: SessionClasses.imported).distinct, version, Jvm.lab)
  }

  private[jmh] def suitable(files: Vector[Path], version: String, lab: Path): Vector[Path] = {
    val binary = version.split('.').take(2).mkString(".")
    val sameScala = Properties.versionNumberString.startsWith(s"$binary.")
    files.filter { file =>
      val name = file.getFileName.toString
      val forScala = "_(2\\.1\\d|3)[-_.]".r.findFirstMatchIn(name).map(_.group(1))
      !name.startsWith("scala-library") && forScala.forall(_ == binary) && (file != lab || sameScala)
    }
  }
}

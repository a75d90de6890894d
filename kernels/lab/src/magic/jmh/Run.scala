package lab.magic.jmh

import java.nio.file.{Files, Path}
import java.util.UUID

import com.google.gson.{Gson, JsonElement, JsonObject, JsonParser}

import lab.installation.Disk
import lab.process.{Child, Jvm, Scratch}
import lab.results.JmhScore
import lab.show.ProgressLine

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Try
import scala.util.control.NoStackTrace

/** Signals that a benchmark failed, or that the JVM that ran it died, with what it printed. */
final class BenchmarkFailed(message: String) extends IllegalStateException(message) with NoStackTrace

/** One run of JMH, with one Scala version on one JDK.
  *
  * @param jdk the runtime that measures; `None` means this one
  */
private[lab] final case class Run(built: Built, scala: String, jdk: Option[Path], options: Vector[String]) {
  import Run._

  /** Runs all benchmarks, and returns their scores and, in words, what else used the CPUs meanwhile.
    *
    * @param hear gets JMH's progress
    * @param idle is called about twice a second while JMH prints nothing
    * @throws lab.magic.jmh.BenchmarkFailed if a benchmark throws, a fork dies or JMH refuses an option
    * @throws java.lang.InterruptedException if the cell is interrupted; no JVM is left then
    */
  def apply(cache: Path)(hear: BenchmarkProgress => Unit, idle: () => Unit): (Vector[JmhScore], String) =
    Scratch.in(cache, "run") { folder =>
      val scores = folder.resolve("scores.json")
      val host = Jvm.classPath((Jvm.own :+ Jvm.jarOf(classOf[Gson])) ++ built.classPath)
      val jvm = jdk.toVector.flatMap(home => Vector("-jvm", Jvm.java(home)))
      // JMH passes the JVM options of its own process on to the forks, so this bound on the heap is theirs, too.
      val command = Vector(Jvm.java(), heap, "-cp", host) ++ Jvm.guest(BenchmarkHost.getClass.getName.stripSuffix("$")) ++
        Vector(Jvm.classPath(built.classPath), folder.toString, scores.toString) ++ jvm ++ options
      var at = Option.empty[BenchmarkProgress]
      // The lines printed since this fork began.
      val said = mutable.ArrayBuffer.empty[String]
      val code = Child.run(command, folder, ProgressLine.pause)(
        {
          case BenchmarkProgress(words, next) =>
            if (words.nonEmpty) said += words
            if (at.exists(was => was.benchmark != next.benchmark || was.params != next.params || was.fork != next.fork)) said.clear()
            at = Some(next)
            hear(next)
          case line => said += line
        },
        idle
      )
      val lines = said.toVector
      val found = if (code == 0) whole(scores, scala) else None
      val measured = found.getOrElse(throw new BenchmarkFailed(failure(code, at.map(_.benchmark), lines, Disk.full(folder, lines))))
      (measured, at.fold("")(_.disturbed))
    }
}

private[lab] object Run {
  private val heap = "-Xmx384m"

  /** Reads the scores; `None` if JMH didn't finish writing them. */
  def whole(scores: Path, scala: String): Option[Vector[JmhScore]] = Try(read(Files.readString(scores), scala)).toOption.filter(_.nonEmpty)

  /** Builds the message of a failure from the fork's last words, without what JMH and the JDK add.
    *
    * @param benchmark the benchmark that ran, if one did
    * @param disk      what to say about a full disk
    */
  def failure(code: Int, benchmark: Option[String], lines: Vector[String], disk: Option[String] = None): String = {
    val lastWords = lines
      .takeWhile(!_.startsWith("Benchmark had encountered error"))
      .filterNot(line => line.isBlank || Noise.findPrefixOf(line).nonEmpty)
      .map(_.replaceAll("\\(cell\\.scala:(\\d+)\\)", "(line $1)"))
    val shown =
      if (lastWords.sizeIs <= most) lastWords
      else (lastWords.take(most / 2) :+ s"… ${lastWords.size - most} lines …") ++ lastWords.takeRight(most / 2)
    val what = benchmark match {
      case _ if code == 0 => "JMH ended without writing complete scores. It said:"
      case Some(name)     => s"${JmhScore.shortName(name)} failed. Its JVM and JMH said:"
      case None           => s"JMH did not run (${Child.ended(code)}). It said:"
    }
    (disk ++: what +: shown).mkString("\n")
  }
  private val Noise =
    ("# |Picked up |WARNING: .*(sun\\.misc\\.Unsafe|org\\.openjdk\\.jmh)|</?std(out|err)" +
      "|\\s+at (java\\.base/|org\\.openjdk\\.jmh\\.|\\S*jmh_generated\\.)|\\s+\\.\\.\\. \\d+ more").r
  private val most = 40

  def read(json: String, scala: String): Vector[JmhScore] = {
    val run = UUID.randomUUID.toString
    JsonParser
      .parseString(json)
      .getAsJsonArray
      .asScala
      .map(_.getAsJsonObject)
      .map { entry =>
        val primary = entry.getAsJsonObject("primaryMetric")
        val all = forks(primary)
        JmhScore(
          entry.get("benchmark").getAsString,
          entry.get("mode").getAsString,
          fields(entry, "params").map { case (name, value) => name -> value.getAsString }.toMap,
          scala,
          entry.get("jdkVersion").getAsString,
          number(primary.get("score")),
          number(primary.get("scoreError")),
          primary.get("scoreUnit").getAsString,
          if (entry.get("mode").getAsString == "sample") Vector.empty else all.flatten,
          all.map(fork => fork.sum / fork.size),
          fields(entry, "secondaryMetrics").map { case (name, metric) =>
            name -> (number(metric.getAsJsonObject.get("score")) -> metric.getAsJsonObject.get("scoreUnit").getAsString)
          }.toMap,
          if (entry.get("mode").getAsString != "sample") Map.empty
          else fields(primary, "scorePercentiles").map { case (percent, time) => percent.toDouble -> number(time) }.toMap,
          run
        ).byForks
      }
      .toVector
  }

  private def fields(entry: JsonObject, name: String): Vector[(String, JsonElement)] =
    Option(entry.getAsJsonObject(name))
      .fold(Vector.empty[(String, JsonElement)])(_.entrySet.asScala.map(e => e.getKey -> e.getValue).toVector)

  /** Returns each fork's scores of its iterations. Sampled times come as a histogram, so their mean is used. */
  private def forks(metric: JsonObject): Vector[Vector[Double]] = {
    def lists(element: JsonElement): Vector[JsonElement] = element.getAsJsonArray.asScala.toVector
    def mean(histogram: JsonElement): Double = {
      val counted = lists(histogram).map(lists(_).map(number)).map(pair => (pair(0), pair(1)))
      counted.map { case (time, calls) => time * calls }.sum / counted.map(_._2).sum
    }
    val scores = Option(metric.getAsJsonArray("rawData")).map(lists(_).map(lists(_).map(number)))
    scores
      .orElse(Option(metric.getAsJsonArray("rawDataHistogram")).map(lists(_).map(lists(_).map(mean))))
      .getOrElse(Vector.empty)
      .filter(_.nonEmpty)
  }

  /** Reads a number, which JMH writes as a string if it is "NaN". */
  private def number(element: JsonElement): Double = element.getAsString.toDouble
}

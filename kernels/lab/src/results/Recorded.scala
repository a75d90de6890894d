package lab.results

import java.nio.file.{Files, Path}
import java.time.Instant

import com.google.gson.{GsonBuilder, JsonElement, JsonObject, JsonParser}

import lab.installation.{Disk, Installation}
import lab.show.Json

import scala.collection.immutable.{TreeMap, VectorMap}
import scala.jdk.CollectionConverters._
import scala.util.Try

/** Full runs of benchmarks that take too long for a page, recorded in advance in `data/recorded`, one file each. Charts and tables of them
  * say that they are recorded, and where. `data/README.md` describes the format.
  *
  * A `%%jmh` cell with `--recorded NAME` records its results if the environment variable `COURSE_RECORD` names the machine.
  */
object Recorded {

  /** Returns the results recorded as `name`; `Recorded.names` lists the names. If there are results of a JDK that the course can't fetch,
    * recorded elsewhere or at another time (`NAME-jdk8.json`), they come first. Each score knows its own recording.
    *
    * @throws java.lang.IllegalArgumentException if nothing was recorded as `name`
    * @throws java.lang.IllegalStateException if the file can't be read; the message names it
    */
  def apply(name: String): JmhResults = withOthers(folder, name)

  /** Returns what the course's newest JDK did in the same minutes in which the results of another JDK were recorded next to `name`
    * (`control` in `NAME-jdk8.json`). These two therefore differ by the JDK, not by the hour. Returns no scores if nothing of the kind was
    * recorded.
    *
    * @throws java.lang.IllegalStateException if a file can't be read; the message names it
    */
  def control(name: String): JmhResults = controlIn(folder, name)

  /** Lists every name under which something is recorded. */
  def names: Vector[String] = namesIn(folder)

  private[lab] def isName(name: String): Boolean = name.matches("\\d\\d-[a-z0-9-]+")

  /** Returns the value of `COURSE_RECORD`, the machine in words; `None` if nothing should be recorded. */
  private[lab] def machineInWords: Option[String] = sys.env.get("COURSE_RECORD").map(_.trim).filter(_.nonEmpty)

  private[lab] def folder: Path = Installation.here("what is recorded (`Recorded`, `--recorded`)").data.resolve("recorded")

  private[results] def broken(file: Path, why: String): IllegalStateException =
    new IllegalStateException(s"$file can't be read: $why. Bring it back: git checkout -- data/recorded")

  private[results] def namesIn(folder: Path): Vector[String] = Option(folder.toFile.list).fold(Vector.empty[String]) { files =>
    files.filter(_.endsWith(ending)).map(_.stripSuffix(ending)).filterNot(OfOther.matches).sorted.toVector
  }

  private[results] def withOthers(folder: Path, name: String): JmhResults = {
    val own = read(folder, name)
    (others(folder, name).map(read(folder, _)) :+ own).reduce(_ ++ _)
  }

  private[results] def controlIn(folder: Path, name: String): JmhResults =
    others(folder, name).map(read(folder, _, "control")).foldLeft(JmhResults.none)(_ ++ _)

  private def others(folder: Path, name: String): Vector[String] =
    Option(folder.toFile.list).fold(Vector.empty[String])(_.toVector.sorted).collect { case file @ OtherFile(`name`) =>
      file.stripSuffix(ending)
    }

  private[results] def read(folder: Path, name: String, scores: String = "scores"): JmhResults = {
    val file = folder.resolve(name + ending)
    if (!isName(name) || !Files.isRegularFile(file)) {
      val there = namesIn(folder)
      throw new IllegalArgumentException(
        s"nothing is recorded as '$name'; there is ${if (there.isEmpty) "nothing at all" else there.mkString(", ")}"
      )
    }
    Try(results(JsonParser.parseString(Files.readString(file)).getAsJsonObject, scores)).fold(
      cause => throw broken(file, cause.getMessage),
      identity
    )
  }

  /** Replaces what was recorded as `name`, and returns the file. */
  private[lab] def write(folder: Path, name: String, recording: Recording, results: JmhResults): Path = {
    val record = Json.record(
      "name" -> name,
      "on" -> recording.on,
      "at" -> s"${recording.at}",
      "command" -> recording.command,
      "machine" -> TreeMap.from(recording.machine),
      "scores" -> results.scores.map(json)
    )
    val text = new GsonBuilder().disableHtmlEscaping.setPrettyPrinting.create.toJson(record)
    // One line for a list of numbers, instead of a line for each number.
    val compact = Numbers.replaceAllIn(text, found => found.matched.replaceAll("\\s+", " ").replace("[ ", "[").replace(" ]", "]"))
    Disk.replace(folder.resolve(name + ending), compact + "\n")
  }

  private val ending = ".json"
  private val OfOther = "(.+)-jdk\\d+".r
  private val OtherFile = "(.+)-jdk\\d+\\.json".r
  private val Numbers = "\\[[-\\d.eE,\\s]+\\]".r

  private def json(score: JmhScore): JsonObject = Json.record(
    Seq(
      "benchmark" -> score.benchmark,
      "mode" -> score.mode,
      "scala" -> score.scala,
      "jdk" -> score.jdk,
      "unit" -> score.unit,
      "params" -> TreeMap.from(score.params),
      "score" -> rounded(score.score)
    ) ++ Option.when(!score.error.isNaN)("error" -> rounded(score.error)) :+ ("samples" -> score.samples.map(rounded)) :++
      Option.when(score.forks.nonEmpty)("forks" -> score.forks.map(rounded)) :++
      Option.when(score.percentiles.nonEmpty)("percentiles" -> TreeMap.from(score.percentiles).view.mapValues(rounded).to(VectorMap)): _*
  )

  /** Rounds to six significant digits, which is more than any of these measurements has. */
  private def rounded(value: Double): java.math.BigDecimal = new java.math.BigDecimal(value).round(new java.math.MathContext(6))

  private def results(record: JsonObject, of: String): JmhResults = {
    def text(of: JsonObject, name: String): String = of.get(name).getAsString
    def fields(name: String, of: JsonObject): Map[String, String] = Json.texts(of.getAsJsonObject(name))
    val recording = Recording(
      text(record, "on"),
      Instant.parse(text(record, "at")),
      Json.facts(record.getAsJsonObject("machine")),
      text(record, "command")
    )
    new JmhResults(
      Option(record.getAsJsonArray(of))
        .fold(Vector.empty[JsonElement])(_.asScala.toVector)
        .map(_.getAsJsonObject)
        .map { score =>
          JmhScore(
            benchmark = text(score, "benchmark"),
            mode = text(score, "mode"),
            params = fields("params", score),
            scala = text(score, "scala"),
            jdk = text(score, "jdk"),
            score = score.get("score").getAsDouble,
            error = Option(score.get("error")).fold(Double.NaN)(_.getAsDouble),
            unit = text(score, "unit"),
            samples = score.getAsJsonArray("samples").asScala.map(_.getAsDouble).toVector,
            forks = Option(score.getAsJsonArray("forks")).fold(Vector.empty[Double])(_.asScala.map(_.getAsDouble).toVector),
            percentiles = Option(score.getAsJsonObject("percentiles")).fold(Map.empty[Double, Double])(
              Json.texts(_).map { case (percent, time) => percent.toDouble -> time.toDouble }
            ),
            // One run of JMH uses one Scala version on one JDK.
            run = s"${text(score, "scala")} on ${text(score, "jdk")}",
            recording = Some(recording)
          )
        }
    )
  }
}

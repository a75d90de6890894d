package lab.results

import java.nio.file.Path
import java.time.Instant
import java.util.UUID

import com.google.gson.JsonObject

import lab.installation.{Installation, JsonLines}
import lab.machine.Machine
import lab.show.Json

import scala.collection.immutable.{SortedMap, TreeMap}
import scala.jdk.CollectionConverters._
import scala.util.Try

/** What a page tells of itself as data: `data/records.schema.json` has the shapes of all of them.
  *
  * @param kind `figure`, `verdict`, `prediction` or `attempt`
  */
private[lab] final case class Record(kind: String, fields: (String, Any)*) {
  def json: JsonObject = Json.record(Seq("record" -> kind, "version" -> Record.version) ++ fields: _*)
}

private[lab] object Record {

  /** That of `data/records.schema.json`. */
  val version = 1

  /** Under which an output of a cell holds records for those who read executed pages. */
  val mime = "application/vnd.which-thread.record+json"
}

/** All that this reader's kernels keep: figures, verdicts, predictions and attempts at exercises, in one file of one JSON object a line,
  * `records.jsonl`, which is never rewritten. It lies in the folder that `COURSE_RESULTS` names, else under `data/results`.
  *
  * Any number of threads and kernels may add at once; one that is killed while writing loses at most the record it was about to write.
  */
private[lab] object OwnRecords {
  val name = "records.jsonl"

  /** What to say where there is no folder. */
  val nowhere = "nobody says where results go: set COURSE_RESULTS to a folder, or start a kernel of the course"

  /** `None` outside a course kernel. */
  def folder: Option[Path] = Installation.results

  /** Adds a record. Where the folder can't be written to, it says so after `what`, and nothing else fails. */
  def keep(what: String)(record: Record): Unit = folder.foreach(keepOrSay(_)(what)(record))

  def keepOrSay(folder: Path)(what: String)(record: Record): Unit =
    JsonLines.orSay(s"$what couldn't be kept", ". The page goes on without.")(keepIn(folder)(record))

  /** @throws java.io.IOException if the folder can't be written to */
  def keepIn(folder: Path)(record: Record): Unit = {
    val (at, on) = (Instant.now, machine)
    JsonLines.append(folder.resolve(name)) { there =>
      Record(record.kind, record.fields ++ Seq("at" -> s"$at", "reader" -> readerOf(there), "machine" -> on): _*).json
    }
  }

  /** Those of this kind, the oldest first, each as `read` takes it; one of another shape, from another version of the course perhaps, is
    * passed over.
    */
  def in[T](folder: Path, kind: String)(read: JsonObject => T): Vector[T] =
    allIn(folder).filter(isOf(kind)).flatMap(one => Try(at(one) -> read(one)).toOption).sortBy(_._1).map(_._2)

  def allIn(folder: Path): Vector[JsonObject] = JsonLines.read(folder.resolve(name))

  private def isOf(kind: String)(record: JsonObject): Boolean =
    Try(record.get("record").getAsString == kind && record.get("version").getAsInt == Record.version).getOrElse(false)

  /** The random name that this clone gave itself with the first thing that it kept; a new one where nothing is kept. */
  def readerOf(records: Vector[JsonObject]): String =
    records.iterator.flatMap(record => Try(record.get("reader").getAsString).toOption).nextOption().getOrElse(s"${UUID.randomUUID}")

  def at(record: JsonObject): Instant = Instant.parse(record.get("at").getAsString)

  def measurements(record: JsonObject, field: String): Vector[Measurement] =
    Option(record.getAsJsonArray(field)).fold(Vector.empty[Measurement])(_.asScala.map(one => Measurement.of(one.getAsJsonObject)).toVector)

  /** The field's text; empty where it isn't there. */
  def text(record: JsonObject, field: String): String = Option(record.get(field)).fold("")(_.getAsString)

  /** This machine, as it stands in what is kept now: numbers are numbers. */
  def machine: SortedMap[String, Any] = {
    val machine = Machine.here()
    TreeMap[String, Any](
      "cpus" -> machine.cpus,
      "memoryBytes" -> machine.memoryBytes,
      "heapBytes" -> machine.heapBytes,
      "collector" -> machine.collector,
      "jdk" -> machine.jdkFeature,
      "jdkVersion" -> machine.jdk,
      "scala" -> machine.scala,
      // Why this kernel is none of a class's business, and may name a folder.
      "kernel" -> machine.kernel.takeWhile(_ != '–').trim,
      "profile" -> machine.profile.name,
      "place" -> machine.place
    ) ++ Machine.load.map(load => "load" -> (load * 100).round / 100.0)
  }
}

/** A verdict that a kernel of this reader reached.
  *
  * @param because  what the page says of it; empty where the verdict needs no word more
  * @param recorded the recordings that it rests on, in words; empty where everything was measured here
  * @param machine  what it was measured on, in words; empty where it rests on recordings alone
  */
private[lab] final case class OwnVerdict(
    statement: String,
    verdict: String,
    because: String,
    measured: Vector[Measurement],
    recorded: String,
    machine: String,
    at: Instant
) {

  /** The machine, or the recordings that it rests on, or both. */
  def where: String = Seq(machine, recorded).filter(_.nonEmpty).mkString("; ")
}

private[lab] object OwnVerdict {

  /** Of each statement the verdict reached last. */
  def latest: Map[String, OwnVerdict] = OwnRecords.folder.fold(Map.empty[String, OwnVerdict])(latestIn)

  def latestIn(folder: Path): Map[String, OwnVerdict] =
    OwnRecords.in(folder, "verdict")(of).map(one => one.statement -> one).toMap

  private def of(record: JsonObject): OwnVerdict = {
    import OwnRecords.text
    OwnVerdict(
      statement = record.get("statement").getAsString,
      verdict = record.get("verdict").getAsString,
      because = text(record, "because"),
      measured = OwnRecords.measurements(record, "measured"),
      recorded = text(record, "recorded"),
      machine = Option.when(Option(record.get("here")).forall(_.getAsBoolean))(onWhich(record.getAsJsonObject("machine"))).getOrElse(""),
      at = OwnRecords.at(record)
    )
  }

  private def onWhich(machine: JsonObject): String = {
    def fact(name: String): String = OwnRecords.text(machine, name)
    Machine.description(fact("cpus"), fact("jdk"), fact("scala"), fact("profile"))
  }
}

/** A try at an exercise. */
private[lab] final case class ExerciseAttempt(exercise: String, passed: Int, cases: Int, at: Instant) {
  def isSolved: Boolean = passed == cases
}

private[lab] object ExerciseAttempt {
  def record(exercise: String, passed: Int, cases: Int): Record =
    Record("attempt", "exercise" -> exercise, "passed" -> passed, "cases" -> cases)

  /** All of this reader's, the oldest first. */
  def in(folder: Path): Vector[ExerciseAttempt] = OwnRecords.in(folder, "attempt") { record =>
    ExerciseAttempt(
      record.get("exercise").getAsString,
      record.get("passed").getAsInt,
      record.get("cases").getAsInt,
      OwnRecords.at(record)
    )
  }
}

/** A question that was put to this reader before an experiment: an answer has a record when it is given, and one when it is revealed; a
  * question that nobody answered has the second.
  *
  * @param id    begins with the page's number
  * @param kind  `choice`, `number` or `table`
  * @param asked what belongs to the question: its options, its unit, its rows and columns
  */
private[lab] final case class OwnPrediction(id: String, question: String, kind: String, asked: (String, Any)*) {
  if (!OwnPrediction.Id.matches(id))
    throw new IllegalArgumentException(
      s"'$id' is no id of a prediction: the page's number, a dash and words, as in 01-free, are expected"
    )

  /** The record of an answer that was given, while nothing has happened yet. */
  def answered(answer: Any): Record = record("answer" -> answer)

  /** The record of what happened.
    *
    * @param answer   `None` where the reader gave none
    * @param happened `None` where the page couldn't tell
    * @param right    `None` where nobody judged
    * @param more     what else the page said
    */
  def revealed(answer: Option[Any], happened: Option[Any], right: Option[Boolean], more: (String, Any)*): Record = {
    val said = answer.map("answer" -> _) ++ happened.map("happened" -> _) ++ right.map("right" -> _)
    record(("revealed" -> true) +: (said.toSeq ++ more): _*)
  }

  private def record(told: (String, Any)*): Record =
    Record("prediction", Seq("prediction" -> id, "kind" -> kind, "question" -> question) ++ asked ++ told: _*)
}

private[lab] object OwnPrediction {
  private val Id = "\\d\\d-[a-z0-9-]+".r

  /** The predictions that were answered. */
  def answeredIn(folder: Path): Set[String] =
    OwnRecords.in(folder, "prediction")(record => Option.when(record.has("answer"))(record.get("prediction").getAsString)).flatten.toSet

  def keep(record: Record): Unit = OwnRecords.keep("This prediction")(record)
}

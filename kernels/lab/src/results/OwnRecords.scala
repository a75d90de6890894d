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

/** A record of a page about itself, as data. `data/records.schema.json` describes the forms of all records.
  *
  * @param kind `figure`, `verdict`, `prediction` or `attempt`
  */
private[lab] final case class Record(kind: String, fields: (String, Any)*) {
  def json: JsonObject = Json.record(Seq("record" -> kind, "version" -> Record.version) ++ fields: _*)
}

private[lab] object Record {

  /** The version in `data/records.schema.json`. */
  val version = 1

  /** The MIME type under which an output of a cell holds records, for tools that read executed pages. */
  val mime = "application/vnd.which-thread.record+json"
}

/** Everything that this reader's kernels keep: figures, verdicts, predictions and attempts at exercises. They are in one file,
  * `records.jsonl`, with one JSON object on each line, and the file is never rewritten. It is in the folder that `COURSE_RESULTS` names, or
  * else in `data/results`.
  *
  * Any number of threads and kernels may add records simultaneously. If one is killed while writing, it loses at most the record that it
  * was about to write.
  */
private[lab] object OwnRecords {
  val name = "records.jsonl"

  /** The message if there is no folder. */
  val nowhere = "no folder is set for results: set COURSE_RESULTS to a folder, or start a kernel of the course"

  /** Returns the folder; `None` outside a course kernel. */
  def folder: Option[Path] = Installation.results

  /** Adds a record. If the folder can't be written to, it prints a message that begins with `what`, and nothing else fails. */
  def keep(what: String)(record: Record): Unit = folder.foreach(keepOrSay(_)(what)(record))

  def keepOrSay(folder: Path)(what: String)(record: Record): Unit =
    JsonLines.orSay(s"$what couldn't be kept", ". The page goes on without it.")(keepIn(folder)(record))

  /** Adds a record to this folder. Its time isn't before that of any record there, even if the machine's clock was set back, so the latest
    * record is the one that was added last.
    *
    * @throws java.io.IOException if the folder can't be written to
    */
  def keepIn(folder: Path)(record: Record): Unit = {
    val (now, on) = (Instant.now, machine)
    JsonLines.append(folder.resolve(name)) { there =>
      val at = (now +: there.flatMap(one => Try(OwnRecords.at(one)).toOption)).max
      Record(record.kind, record.fields ++ Seq("at" -> s"$at", "reader" -> readerOf(there), "machine" -> on): _*).json
    }
  }

  /** Reads the records of this kind with `read`, the oldest first. A record of another form, perhaps from another version of the course, is
    * skipped.
    */
  def in[T](folder: Path, kind: String)(read: JsonObject => T): Vector[T] =
    allIn(folder).filter(isOf(kind)).flatMap(one => Try(at(one) -> read(one)).toOption).sortBy(_._1).map(_._2)

  def allIn(folder: Path): Vector[JsonObject] = JsonLines.read(folder.resolve(name))

  private def isOf(kind: String)(record: JsonObject): Boolean =
    Try(record.get("record").getAsString == kind && record.get("version").getAsInt == Record.version).getOrElse(false)

  /** Returns the random name that this clone gave itself with the first record that it kept, or a new one if nothing is kept. */
  def readerOf(records: Vector[JsonObject]): String =
    records.iterator.flatMap(record => Try(record.get("reader").getAsString).toOption).nextOption().getOrElse(s"${UUID.randomUUID}")

  def at(record: JsonObject): Instant = Instant.parse(record.get("at").getAsString)

  def measurements(record: JsonObject, field: String): Vector[Measurement] =
    Option(record.getAsJsonArray(field)).fold(Vector.empty[Measurement])(_.asScala.map(one => Measurement.of(one.getAsJsonObject)).toVector)

  /** Returns the field's text; empty if there is no such field. */
  def text(record: JsonObject, field: String): String = Option(record.get(field)).fold("")(_.getAsString)

  /** Describes this machine as records hold it now; numbers are numbers. */
  def machine: SortedMap[String, Any] = {
    val machine = Machine.here()
    TreeMap[String, Any](
      "cpus" -> machine.cpus,
      "processor" -> machine.processor,
      "memoryBytes" -> machine.memoryBytes,
      "heapBytes" -> machine.heapBytes,
      "collector" -> machine.collector,
      "jdk" -> machine.jdkFeature,
      "jdkVersion" -> machine.jdk,
      "scala" -> machine.scala,
      // Why the kernel runs here is no business of a class, and may name a folder.
      "kernel" -> machine.kernel.takeWhile(_ != '–').trim,
      "profile" -> machine.profile.name,
      "place" -> machine.place
    ) ++ Machine.load.map(load => "load" -> (load * 100).round / 100.0)
  }
}

/** A verdict that a kernel of this reader reached.
  *
  * @param because  what the page says about it; empty if the verdict needs no further word
  * @param recorded the recordings that it rests on, in words; empty if everything was measured here
  * @param machine  the machine that it was measured on, in words; empty if it rests on recordings alone
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

  /** Describes the machine, or the recordings that the verdict rests on, or both. */
  def where: String = Seq(machine, recorded).filter(_.nonEmpty).mkString("; ")
}

private[lab] object OwnVerdict {

  /** Returns the last verdict reached for each statement. */
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

/** An attempt at an exercise. */
private[lab] final case class ExerciseAttempt(exercise: String, passed: Int, cases: Int, at: Instant) {
  def isSolved: Boolean = passed == cases
}

private[lab] object ExerciseAttempt {
  def record(exercise: String, passed: Int, cases: Int): Record =
    Record("attempt", "exercise" -> exercise, "passed" -> passed, "cases" -> cases)

  /** Reads all attempts of this reader, the oldest first. */
  def in(folder: Path): Vector[ExerciseAttempt] = OwnRecords.in(folder, "attempt") { record =>
    ExerciseAttempt(
      record.get("exercise").getAsString,
      record.get("passed").getAsInt,
      record.get("cases").getAsInt,
      OwnRecords.at(record)
    )
  }
}

/** A question that this reader was asked before an experiment. An answer has one record when it is given, and one when it is revealed. A
  * question that nobody answered has only the second.
  *
  * @param id    the prediction's id, which begins with the page's number
  * @param kind  `choice`, `number` or `table`
  * @param asked what belongs to the question: its options, its unit, its rows and columns
  */
private[lab] final case class OwnPrediction(id: String, question: String, kind: String, asked: (String, Any)*) {
  if (!OwnPrediction.Id.matches(id))
    throw new IllegalArgumentException(
      s"'$id' is no id of a prediction: the page's number, a dash and words, as in 01-free, are expected"
    )

  /** Returns the record of an answer that was given before anything has happened. */
  def answered(answer: Any): Record = record("answer" -> answer)

  /** Returns the record of what happened.
    *
    * @param answer   `None` if the reader gave none
    * @param happened `None` if the page couldn't decide
    * @param right    `None` if nobody judged
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

  /** Returns the ids of the predictions that were answered. */
  def answeredIn(folder: Path): Set[String] =
    OwnRecords.in(folder, "prediction")(record => Option.when(record.has("answer"))(record.get("prediction").getAsString)).flatten.toSet

  def keep(record: Record): Unit = OwnRecords.keep("This prediction")(record)
}

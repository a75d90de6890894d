package lab.results

import java.nio.file.{Files, Path}
import java.time.Instant

import com.google.gson.{JsonObject, JsonParser}

import lab.installation.Installation

import scala.collection.immutable.VectorMap
import scala.jdk.CollectionConverters._

/** The verdict that recorded runs of a page reached on one statement.
  *
  * @param verdict  the verdict reached most often
  * @param because  what the page said about it in a typical one of these runs; empty if the verdict needs no further word
  * @param reached  how often it was reached
  * @param runs     the number of runs
  * @param measured what that typical run measured
  * @param on       the machine, in words
  */
final case class RecordedVerdict(
    statement: String,
    verdict: String,
    because: String,
    reached: Int,
    runs: Int,
    measured: Vector[Measurement],
    on: String,
    at: Instant
) {

  /** Returns how many of the runs reached it: "10/10". */
  def share: String = s"$reached/$runs"

  /** Describes on which machine it was recorded, and when. */
  def where: String = s"recorded on $on, ${s"$at".take(10)}"

  override def toString: String = s"$verdict in $share runs; ${Measurement.shown(measured)}; $where"
}

/** Reads what `kernels/course verdicts --record` wrote to `data/recorded/verdicts.jsonl`. `data/README.md` describes the file. */
object RecordedVerdicts {

  /** Finds what was recorded for the statement with this id; `None` if nothing was.
    *
    * @throws java.lang.IllegalStateException if the file can't be read; the message says what to do
    */
  def of(statement: String): Option[RecordedVerdict] = all.get(statement)

  /** Reads everything that was recorded, by the statement's id, in the order of the file. It is empty outside the course, or if there is no
    * such file.
    */
  private[lab] def all: Map[String, RecordedVerdict] =
    Installation.find.fold(none)(_ => in(Recorded.folder.resolve("verdicts.jsonl")))

  private val none = Map.empty[String, RecordedVerdict]

  private[results] def in(file: Path): Map[String, RecordedVerdict] =
    if (!Files.exists(file)) none
    else
      VectorMap.from(Files.readAllLines(file).asScala.zipWithIndex.map { case (line, index) =>
        try {
          val one = verdictOf(JsonParser.parseString(line).getAsJsonObject)
          one.statement -> one
        } catch { case broken: RuntimeException => throw Recorded.broken(file, s"line ${index + 1}: $broken") }
      })

  private def verdictOf(record: JsonObject): RecordedVerdict = RecordedVerdict(
    statement = record.get("statement").getAsString,
    verdict = record.get("verdict").getAsString,
    because = OwnRecords.text(record, "because"),
    reached = record.get("reached").getAsInt,
    runs = record.get("runs").getAsInt,
    measured = OwnRecords.measurements(record, "measured"),
    on = record.get("on").getAsString,
    at = OwnRecords.at(record)
  )
}

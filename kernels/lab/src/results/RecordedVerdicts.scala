package lab.results

import java.nio.file.{Files, Path}
import java.time.Instant

import com.google.gson.{JsonObject, JsonParser}

import lab.installation.Installation

import scala.collection.immutable.VectorMap
import scala.jdk.CollectionConverters._

/** What recorded runs of a page came to, for one statement.
  *
  * @param verdict  the one reached most often
  * @param because  what the page said of it in a typical one of these runs; empty where the verdict needs no word more
  * @param reached  how often it was reached
  * @param runs     of how many runs
  * @param measured in that typical run
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

  /** "10/10". */
  def share: String = s"$reached/$runs"

  /** On which machine, and when. */
  def where: String = s"recorded on $on, ${s"$at".take(10)}"

  override def toString: String = s"$verdict in $share runs; ${Measurement.shown(measured)}; $where"
}

/** What `kernels/course verdicts --record` wrote to `data/recorded/verdicts.jsonl`, described in `data/README.md`. */
object RecordedVerdicts {

  /** What was recorded for the statement of this id; `None` if nothing was.
    *
    * @throws java.lang.IllegalStateException if the file can't be read, with what to do
    */
  def of(statement: String): Option[RecordedVerdict] = all.get(statement)

  /** Everything that was recorded, by the statement's id, in the order of the file; nothing outside the course and where there is no such
    * file.
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

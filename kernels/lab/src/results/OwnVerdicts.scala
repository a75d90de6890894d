package lab.results

import java.nio.file.Path
import java.time.Instant

import com.google.gson.JsonObject

import lab.installation.JsonLines
import lab.show.Json

import scala.jdk.CollectionConverters._
import scala.util.Try

/** A verdict that a kernel of this reader reached.
  *
  * @param because what the page says of it; empty where the verdict needs no word more
  * @param where   the machine, or the recordings that it rests on, in words
  */
private[lab] final case class OwnVerdict(
    id: String,
    sentence: String,
    kind: Kind,
    verdict: String,
    because: String,
    measured: String,
    published: String,
    where: String,
    at: Instant
)

/** The verdicts that this reader's kernels reached, whoever ran the page: JupyterLab, `kernels/course run`, or a test in its own folder. They
  * are added to one file beside the reader's results, `verdicts.jsonl`, which is never rewritten.
  *
  * Any number of kernels may add at once. Nothing is kept outside the course.
  */
private[lab] object OwnVerdicts {

  /** Adds the row that a claim made for the ledger; where the folder can't be written to, it says so, and nothing else fails. */
  def keep(row: JsonObject): Unit = file.foreach(keepOrSay(_)(row))

  /** Of each claim in each sentence the verdict reached last, in the order of writing. */
  def latest: Vector[OwnVerdict] = file.fold(Vector.empty[OwnVerdict])(latestIn)

  private[results] def keepOrSay(file: Path)(row: JsonObject): Unit =
    JsonLines.orSay("This verdict couldn't be kept for page 12")(keepIn(file)(row))

  private[lab] def keepIn(file: Path)(row: JsonObject): Unit = {
    val more = Json.record("at" -> Instant.now.toString, "machine" -> OwnFolder.machine)
    JsonLines.append(file)(_ => Json.record((row.asMap.asScala ++ more.asMap.asScala).toSeq: _*))
  }

  private[lab] def latestIn(file: Path): Vector[OwnVerdict] = {
    val all = JsonLines.read(file).flatMap(verdictOf)
    all.reverse.distinctBy(one => (one.id, one.sentence)).reverse
  }

  private def file: Option[Path] = OwnFolder.ifAny.map(_.resolve(OwnFolder.verdicts))

  /** A record of another shape, from another version of the course perhaps, is passed over. */
  private def verdictOf(record: JsonObject): Option[OwnVerdict] = Try {
    def text(name: String): String = record.get(name).getAsString
    OwnVerdict(
      id = text("id"),
      sentence = text("sentence"),
      kind = Kind.named(text("kind")),
      verdict = text("verdict"),
      because = text("because"),
      measured = text("measured"),
      published = text("published"),
      where = text("where"),
      at = Instant.parse(text("at"))
    )
  }.toOption
}

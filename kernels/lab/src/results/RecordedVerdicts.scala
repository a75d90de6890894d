package lab

import java.nio.file.{Files, Path}

import scala.util.Try

/** What recorded runs of a page came to, for one claim.
  *
  * @param verdict  the one reached most often
  * @param share    how often it was, of how many runs
  * @param measured in a typical one of these
  * @param where    on which machine, in words, and when
  * @param because  what the page said of it in that run; empty where the verdict needs no word more
  * @param published what the page set beside it; empty where that isn't recorded
  * @param kind     `None` in a recording from before there were kinds
  */
final case class RecordedVerdict(
    verdict: String,
    share: String,
    measured: String,
    where: String,
    because: String = "",
    published: String = "",
    kind: Option[Kind] = None
) {
  override def toString: String = s"$verdict in $share runs; $measured; $where"
}

/** The table that `kernels/course verdicts --record` wrote to `data/recorded/verdicts.csv`; its columns are described in `data/README.md`.
  */
object RecordedVerdicts {

  /** What was recorded for this claim in these words; `None` if nothing was, or if the file can't be read. */
  def of(id: String, sentence: String): Option[RecordedVerdict] = all.get((id, sentence))

  /** Everything that was recorded, by the claim's id and sentence, in the order of the file; nothing if it can't be read. */
  private[lab] def all: Map[(String, String), RecordedVerdict] =
    Try(Recorded.folder.resolve("verdicts.csv")).toOption.filter(Files.isRegularFile(_)).fold(none)(in)

  private val none = Map.empty[(String, String), RecordedVerdict]

  private[lab] def in(file: Path): Map[(String, String), RecordedVerdict] =
    Try(RecordedRows.read(file)).toOption.fold(none) { recorded =>
      val verdicts = recorded.rows.flatMap(row => Try((row("claim"), row("sentence")) -> verdictOf(row)).toOption)
      scala.collection.immutable.VectorMap.from(verdicts)
    }

  private def verdictOf(row: Map[String, String]): RecordedVerdict = RecordedVerdict(
    verdict = row("verdict"),
    share = row("share"),
    measured = row("measured"),
    where = RecordedRows.where(row),
    because = row.getOrElse("because", ""),
    published = row.getOrElse("published", ""),
    kind = row.get("kind").filter(_.nonEmpty).map(Kind.named)
  )
}

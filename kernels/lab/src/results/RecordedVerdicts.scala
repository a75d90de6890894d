package lab.results

import java.nio.file.{Files, Path}

import lab.installation.Installation

import scala.collection.immutable.VectorMap

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

  /** What was recorded for this claim in these words; `None` if nothing was.
    *
    * @throws java.lang.IllegalStateException if the file can't be read, with what to do
    */
  def of(id: String, sentence: String): Option[RecordedVerdict] = all.get((id, sentence))

  /** Everything that was recorded, by the claim's id and sentence, in the order of the file; nothing outside the course and where there is no
    * such file.
    */
  private[lab] def all: Map[(String, String), RecordedVerdict] =
    Installation.find.fold(none)(_ => in(Recorded.folder.resolve("verdicts.csv")))

  private val none = Map.empty[(String, String), RecordedVerdict]

  private[results] def in(file: Path): Map[(String, String), RecordedVerdict] =
    if (!Files.exists(file)) none
    else
      VectorMap.from(RecordedRows.read(file).rows.zipWithIndex.map { case (row, index) =>
        try (row("claim"), row("sentence")) -> verdictOf(row)
        catch {
          case broken @ (_: NoSuchElementException | _: IllegalArgumentException) =>
            throw Recorded.broken(file, s"row ${index + 1}: $broken")
        }
      })

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

package lab

import java.nio.file.{Files, Path}

import scala.util.Try

/** What recorded runs of a page came to, for one claim.
  *
  * @param verdict  the one reached most often
  * @param share    how often it was, of how many runs
  * @param measured in a typical one of these
  * @param where    on which machine, in words, and when
  */
final case class RecordedVerdict(verdict: String, share: String, measured: String, where: String) {
  override def toString: String = s"$verdict in $share runs; $measured; $where"
}

/** The table that `kernels/course verdicts --record` wrote to `data/recorded/verdicts.csv`; its columns are described in `data/README.md`.
  */
object RecordedVerdicts {

  /** What was recorded for this claim in these words; `None` if nothing was, or if the file can't be read. */
  def of(id: String, sentence: String): Option[RecordedVerdict] =
    Try(Recorded.folder.resolve("verdicts.csv")).toOption.filter(Files.isRegularFile(_)).flatMap(in(_, id, sentence))

  private[lab] def in(file: Path, id: String, sentence: String): Option[RecordedVerdict] =
    Try(RecordedRows.read(file)).toOption.flatMap { recorded =>
      recorded.rows.collectFirst {
        case row if row.get("claim").contains(id) && row.get("sentence").contains(sentence) =>
          RecordedVerdict(row("verdict"), row("share"), row("measured"), recorded.where)
      }
    }
}

package lab

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.time.Instant

import org.apache.commons.csv.CSVFormat

import scala.jdk.CollectionConverters._
import scala.util.Using

/** Rows of figures that not every machine can take: measured now, or recorded before under `data/recorded`.
  *
  * @param rows  each a figure by the name of its column
  * @param where on which machine they were taken, in words, and when if not now
  */
final case class RecordedRows(rows: Seq[Map[String, String]], where: String)

/** One CSV file each; the columns `on` and `at` hold the machine in words and the moment. Where `COURSE_RECORD` names the machine, what is
  * measured now is put there.
  */
object RecordedRows {

  /** What `measure` gives where it can be taken here (`live`), else what was recorded as `name`.
    *
    * @param measure rows that all have the same columns in the same order
    * @throws java.lang.IllegalStateException if it can't be taken here and nothing was recorded
    */
  def apply(name: String, live: Boolean)(measure: => Seq[Seq[(String, String)]]): RecordedRows = {
    val file = Recorded.folder.resolve(s"$name.csv")
    if (live) {
      val rows = measure
      Recorded.machineInWords.foreach(on => write(file, rows, on))
      RecordedRows(rows.map(_.toMap), "measured here and now")
    } else read(file)
  }

  private[lab] def read(file: Path): RecordedRows = {
    if (!Files.isRegularFile(file))
      throw new IllegalStateException(s"$file is missing; bring it back: git checkout -- data/recorded")
    val format = CSVFormat.DEFAULT.builder.setHeader().setSkipHeaderRecord(true).build
    Using.resource(format.parse(Files.newBufferedReader(file, UTF_8))) { parser =>
      val rows = parser.iterator.asScala.map(_.toMap.asScala.toMap).toVector
      val first =
        rows.headOption.getOrElse(throw new IllegalStateException(s"$file has no rows; bring it back: git checkout -- data/recorded"))
      RecordedRows(rows, where(first))
    }
  }

  /** Where a row comes from. */
  private[lab] def where(row: Map[String, String]): String = s"recorded on ${row("on")}, ${row("at").take(10)}"

  private[lab] def write(file: Path, rows: Seq[Seq[(String, String)]], on: String): Unit = {
    Files.createDirectories(file.getParent)
    val mark = Seq("on" -> on, "at" -> Instant.now.toString)
    val format = CSVFormat.DEFAULT.builder.setHeader((rows.head ++ mark).map(_._1): _*).setRecordSeparator("\n").build
    Using.resource(format.print(Files.newBufferedWriter(file, UTF_8)))(printer =>
      rows.foreach(row => printer.printRecord((row ++ mark).map(_._2).asJava))
    )
  }
}

package lab.results

import java.io.{IOException, StringWriter, UncheckedIOException}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.time.Instant

import org.apache.commons.csv.CSVFormat

import lab.installation.Disk
import lab.show.Say

import scala.jdk.CollectionConverters._
import scala.util.Using

/** Rows of figures that not every machine can measure, either measured now or recorded in `data/recorded`.
  *
  * @param rows  the rows, each with a figure by the name of its column
  * @param where on which machine they were measured, in words, and when if not now
  */
final class RecordedRows(val rows: Seq[Map[String, String]], val where: String) {
  override def toString: String = s"${Say.count(rows.size, "row")}, $where"
}

/** Reads and writes recorded rows, one CSV file for each name. The columns `on` and `at` hold the machine in words and the moment. If
  * `COURSE_RECORD` names the machine, rows that are measured now are recorded there.
  */
object RecordedRows {

  /** Returns what `measure` gives if it can be measured here (`live`), or else what was recorded as `name`.
    *
    * @param measure measures rows that all have the same columns in the same order
    * @throws java.lang.IllegalStateException if it can't be measured here and nothing was recorded
    */
  def apply(name: String, live: Boolean)(measure: => Seq[Seq[(String, String)]]): RecordedRows = {
    val file = Recorded.folder.resolve(s"$name.csv")
    if (live) {
      val rows = measure
      Recorded.machineInWords.foreach(on => write(file, rows, on))
      new RecordedRows(rows.map(_.toMap), "measured here and now")
    } else read(file)
  }

  private[lab] def read(file: Path): RecordedRows = {
    if (!Files.isRegularFile(file)) throw Recorded.broken(file, "it is missing")
    val format = CSVFormat.DEFAULT.builder.setHeader().setSkipHeaderRecord(true).get
    val records =
      try Using.resource(format.parse(Files.newBufferedReader(file, UTF_8)))(_.getRecords.asScala.toVector)
      catch {
        case torn @ (_: IOException | _: IllegalStateException | _: UncheckedIOException) => throw Recorded.broken(file, torn.getMessage)
      }
    records.find(!_.isConsistent).foreach { torn =>
      throw Recorded.broken(file, s"record ${torn.getRecordNumber} has ${Say.count(torn.size, "field")}, unlike the first line")
    }
    val rows = records.map(_.toMap.asScala.toMap)
    new RecordedRows(rows, where(rows.headOption.getOrElse(throw Recorded.broken(file, "it has no rows"))))
  }

  /** Describes where a row comes from. */
  private[results] def where(row: Map[String, String]): String = s"recorded on ${row("on")}, ${row("at").take(10)}"

  private[lab] def write(file: Path, rows: Seq[Seq[(String, String)]], on: String): Unit = {
    val mark = Seq("on" -> on, "at" -> Instant.now.toString)
    val format = CSVFormat.DEFAULT.builder.setHeader((rows.head ++ mark).map(_._1): _*).setRecordSeparator("\n").get
    val text = new StringWriter
    Using.resource(format.print(text))(printer => rows.foreach(row => printer.printRecord((row ++ mark).map(_._2).asJava)))
    val _ = Disk.replace(file, text.toString)
  }
}

package lab.results

import java.nio.file.Path
import java.time.Instant

import com.google.gson.JsonObject

import lab.installation.{Disk, Installation, JsonLines}
import lab.show.{Say, Table}

/** One measured value.
  *
  * @param reader  a random name that the measuring clone of the course gave itself; it says nothing about the person
  * @param cpus    of the machine that it was measured on
  * @param jdk     its JDK's number
  */
final case class Result(name: String, value: Double, unit: String, at: Instant, reader: String, cpus: Int, jdk: Int) {
  override def toString: String = s"$name: ${Say.number(value)} $unit".trim
}

/** What readers measured. Each value is added to one file, `records.jsonl`, under `data/results` (or the folder that `COURSE_RESULTS`
  * names), which is never rewritten.
  *
  * Any number of threads and kernels may keep values at once; one that is killed while writing loses at most the value it was about to
  * write.
  */
object Results {

  /** Keeps a value measured here and now; where the folder can't be written to, it says so, and the page goes on.
    *
    * @throws java.lang.IllegalArgumentException if the value isn't finite
    */
  def keep(name: String, value: Double, unit: String): Unit =
    JsonLines.orSay(s"$name couldn't be kept", ". The page goes on without.")(keepOrFail(name, value, unit))

  /** Likewise, for who says it in words of its own.
    *
    * @throws java.io.IOException if the folder can't be written to
    */
  private[lab] def keepOrFail(name: String, value: Double, unit: String): Unit = keepIn(folder)(name, value, unit)

  /** Everything that this reader kept, oldest first. */
  def all: Vector[Result] = allIn(folder)

  /** Writes all of it to one file, to be handed in, with the reader's verdicts, predictions and tries at exercises; an older file of that
    * name is replaced. Names of folders that say who the reader is are left out. `kernels/course export` writes the same.
    *
    * @return the file, absolute
    */
  def exportTo(file: String): Path = exportFrom(folder, Path.of(file).toAbsolutePath)

  /** The results as a table, the latest last. */
  def table(caption: String, results: Seq[Result]): Table = Table(
    caption,
    Seq("what", "value", "unit", "CPUs", "JDK", "when", "reader"),
    results.map { result =>
      val (value, machine) = (Say.number(result.value), Seq(s"${result.cpus}", s"${result.jdk}"))
      Seq(result.name, value, result.unit) ++ machine ++ Seq(s"${result.at}".take(16), result.reader.take(8))
    }
  )

  private[lab] def keepIn(folder: Path)(name: String, value: Double, unit: String): Unit = {
    if (value.isNaN || value.isInfinite) throw new IllegalArgumentException(s"$name is $value: only finite values can be kept")
    OwnRecords.keepIn(folder)(Record("figure", "name" -> name, "value" -> value, "unit" -> unit))
  }

  private[lab] def allIn(folder: Path): Vector[Result] = OwnRecords.in(folder, "figure")(resultOf)

  private[results] def exportFrom(folder: Path, file: Path): Path = {
    val kept = OwnRecords.allIn(folder)
    val head = Record("export", "at" -> Instant.now.toString, "reader" -> OwnRecords.readerOf(kept)).json
    Disk.replace(file, (s"$head" +: kept.map(record => impersonal(s"$record"))).mkString("", "\n", "\n"))
  }

  /** A record without the folders of the clone and of the user: a message of an error may name one. */
  private def impersonal(record: String): String = {
    val folders = Installation.find.map(_.home.toString -> "…") ++ Option(System.getProperty("user.home")).map(_ -> "~")
    folders.filter { case (folder, _) => folder.length > 1 }.foldLeft(record) { case (text, (folder, sign)) => text.replace(folder, sign) }
  }

  /** @throws java.lang.IllegalStateException outside a course kernel, where nobody says which folder */
  private def folder: Path = OwnRecords.folder.getOrElse(throw new IllegalStateException(OwnRecords.nowhere))

  private def resultOf(record: JsonObject): Result = {
    val machine = record.getAsJsonObject("machine")
    Result(
      record.get("name").getAsString,
      record.get("value").getAsDouble,
      OwnRecords.text(record, "unit"),
      OwnRecords.at(record),
      record.get("reader").getAsString,
      machine.get("cpus").getAsInt,
      machine.get("jdk").getAsInt
    )
  }
}

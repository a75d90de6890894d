package lab.results

import java.nio.file.Path
import java.time.Instant

import com.google.gson.JsonObject

import lab.installation.{Disk, Installation, JsonLines}
import lab.show.{Say, Table}

/** One measured value.
  *
  * @param reader a random name that the measuring clone of the course gave itself; it says nothing about the person
  * @param cpus   the number of CPUs of the machine that measured it
  * @param jdk    the number of that machine's JDK
  */
final case class Result(name: String, value: Double, unit: String, at: Instant, reader: String, cpus: Int, jdk: Int) {
  override def toString: String = s"$name: ${Say.number(value)} $unit".trim
}

/** Keeps what readers measured. Each value is added to one file, `records.jsonl`, in `data/results` (or in the folder that `COURSE_RESULTS`
  * names). The file is never rewritten.
  *
  * Any number of threads and kernels may keep values simultaneously. If one is killed while writing, it loses at most the value that it was
  * about to write.
  */
object Results {

  /** Keeps a value measured here and now. If the folder can't be written to, it says so, and the page goes on.
    *
    * @throws java.lang.IllegalArgumentException if the value isn't finite
    */
  def keep(name: String, value: Double, unit: String): Unit =
    JsonLines.orSay(s"$name couldn't be kept", ". The page goes on without it.")(keepOrFail(name, value, unit))

  /** Keeps a value in the same way, for callers that print their own message.
    *
    * @throws java.io.IOException if the folder can't be written to
    */
  private[lab] def keepOrFail(name: String, value: Double, unit: String): Unit = keepIn(folder)(name, value, unit)

  /** Reads everything that this reader kept, oldest first. */
  def all: Vector[Result] = allIn(folder)

  /** Writes all of it to one file to hand in, with the reader's verdicts, predictions and attempts at exercises. An older file of that name
    * is replaced. Names of folders that show who the reader is are left out. `kernels/course export` writes the same file.
    *
    * @return the file, absolute
    */
  def exportTo(file: String): Path = exportFrom(folder, Path.of(file).toAbsolutePath)

  /** Builds a table of the results, the latest last. */
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

  /** Removes the folders of the clone and of the user from a record, since an error's message may name one. */
  private def impersonal(record: String): String = {
    val folders = Installation.find.map(_.home.toString -> "…") ++ Option(System.getProperty("user.home")).map(_ -> "~")
    folders.filter { case (folder, _) => folder.length > 1 }.foldLeft(record) { case (text, (folder, sign)) => text.replace(folder, sign) }
  }

  /** Returns the folder for records.
    *
    * @throws java.lang.IllegalStateException outside a course kernel, where no folder is set
    */
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

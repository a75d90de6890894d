package lab.results

import java.nio.file.{Files, Path}
import java.time.Instant

import com.google.gson.JsonObject

import lab.installation.{Disk, Installation, JsonLines}
import lab.show.{Json, Say, Table}

/** One measured value.
  *
  * @param reader  a random name that the measuring clone of the course gave itself; it says nothing about the person
  * @param machine what it was measured on: `cpus`, `jdk`, `scala`, `kernel`, `profile`, `place`, `memoryBytes`, `heapBytes`, `collector`,
  *                `load` (what the system says of its last minute)
  */
final case class Result(name: String, value: Double, unit: String, at: Instant, reader: String, machine: Map[String, String]) {
  override def toString: String = s"$name: ${Say.number(value)} $unit".trim
}

/** What readers measured. Each value is added to one file under `data/results` (or the folder that `COURSE_RESULTS` names), which is never
  * rewritten.
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

  /** The values of many readers, from the files that they exported. A value that is in several files counts once.
    *
    * @throws java.nio.file.NoSuchFileException if one of the files isn't there
    * @throws java.lang.IllegalArgumentException if one holds no result
    */
  def from(files: String*): Vector[Result] = files.toVector.flatMap { file =>
    val path = Path.of(file)
    if (!Files.exists(path)) throw new java.nio.file.NoSuchFileException(file)
    val found = read(path)
    if (found.isEmpty) throw new IllegalArgumentException(s"$file holds no result; a file made by Results.exportTo was expected")
    found
  }.distinct

  /** The results as a table, the latest last. */
  def table(caption: String, results: Seq[Result]): Table = Table(
    caption,
    Seq("what", "value", "unit", "CPUs", "JDK", "when", "reader"),
    results.map { result =>
      def machine(name: String): String = result.machine.getOrElse(name, "–")
      val jdk = machine("jdk").takeWhile(_ != ' ')
      Seq(result.name, Say.number(result.value), result.unit, machine("cpus"), jdk, s"${result.at}".take(16), result.reader.take(8))
    }
  )

  private[lab] def keepIn(folder: Path)(name: String, value: Double, unit: String): Unit = {
    if (value.isNaN || value.isInfinite) throw new IllegalArgumentException(s"$name is $value: only finite values can be kept")
    val machine = OwnFolder.machine
    val known = OwnFolder.readerIn(folder)
    JsonLines.append(folder.resolve(OwnFolder.measured)) { there =>
      val reader = there.flatMap(resultOf).headOption.fold(known)(_.reader)
      json(Result(name, value, unit, Instant.now, reader, machine))
    }
  }

  private[lab] def allIn(folder: Path): Vector[Result] = read(folder.resolve(OwnFolder.measured))

  private[results] def exportFrom(folder: Path, file: Path): Path = {
    val kept = OwnFolder.all.flatMap(name => JsonLines.read(folder.resolve(name))).map(record => impersonal(s"$record"))
    val head = Json.record("exported" -> Instant.now.toString, "reader" -> OwnFolder.readerIn(folder))
    Disk.replace(file, (s"$head" +: kept).mkString("", "\n", "\n"))
  }

  /** A record without the folders of the clone and of the user: a message of an error may name one. */
  private def impersonal(record: String): String = {
    val folders = Installation.find.map(_.home.toString -> "…") ++ Option(System.getProperty("user.home")).map(_ -> "~")
    folders.filter { case (folder, _) => folder.length > 1 }.foldLeft(record) { case (text, (folder, sign)) => text.replace(folder, sign) }
  }

  /** @throws java.lang.IllegalStateException outside a course kernel, where nobody says which folder */
  private def folder: Path = OwnFolder.ifAny.getOrElse(
    throw new IllegalStateException("nobody says where results go: set COURSE_RESULTS to a folder, or start a kernel of the course")
  )

  private def read(file: Path): Vector[Result] = JsonLines.read(file).flatMap(resultOf)

  private def json(result: Result): JsonObject = Json.record(
    "name" -> result.name,
    "value" -> result.value,
    "unit" -> result.unit,
    "at" -> result.at.toString,
    "reader" -> result.reader,
    "machine" -> result.machine
  )

  /** A record of another shape, from another version of the course perhaps, is passed over. */
  private def resultOf(record: JsonObject): Option[Result] =
    scala.util.Try {
      val machine = Json.texts(record.getAsJsonObject("machine"))
      def text(name: String): String = record.get(name).getAsString
      Result(text("name"), record.get("value").getAsDouble, text("unit"), Instant.parse(text("at")), text("reader"), machine)
    }.toOption
}

package lab

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.StandardCopyOption.REPLACE_EXISTING
import java.nio.file.{Files, Path}
import java.time.Instant
import java.util.UUID

import com.google.gson.JsonObject

import scala.jdk.CollectionConverters._

/** One measured value.
  *
  * @param reader  a random name that the measuring clone of the course gave itself; it says nothing about the person
  * @param machine what it was measured on: `cpus`, `jdk`, `scala`, `kernel`, `profile`, `place`, `memoryBytes`, `heapBytes`, `collector`
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

  /** Keeps a value measured here and now.
    *
    * @throws java.lang.IllegalArgumentException if the value isn't finite
    * @throws java.io.IOException if the folder can't be written to
    */
  def keep(name: String, value: Double, unit: String): Unit = keepIn(folder)(name, value, unit)

  /** Everything that this reader kept, oldest first. */
  def all: Vector[Result] = allIn(folder)

  /** Writes all of it to one file, to be handed in; an older file of that name is replaced.
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
    val machine = machineNow
    JsonLines.append(folder.resolve(fileName)) { there =>
      val reader = there.flatMap(resultOf).headOption.fold(s"${UUID.randomUUID}")(_.reader)
      json(Result(name, value, unit, Instant.now, reader, machine))
    }
  }

  private[lab] def allIn(folder: Path): Vector[Result] = read(folder.resolve(fileName))

  private[lab] def exportFrom(folder: Path, file: Path): Path = {
    Files.createDirectories(file.getParent)
    val part = Files.createTempFile(file.getParent, "results", ".part")
    Files.write(part, JsonLines.read(folder.resolve(fileName)).map(_.toString).asJava, UTF_8)
    Files.move(part, file, REPLACE_EXISTING)
  }

  private val fileName = "measured.jsonl"

  /** @throws java.lang.IllegalStateException outside a course kernel, where nobody says which folder */
  private def folder: Path = folderIfAny.getOrElse(
    throw new IllegalStateException("nobody says where results go: set COURSE_RESULTS to a folder, or start a kernel of the course")
  )

  /** Likewise; `None` outside a course kernel. */
  private[lab] def folderIfAny: Option[Path] = sys.env
    .get("COURSE_RESULTS")
    .filter(_.nonEmpty)
    .map(Path.of(_))
    .orElse(Installation.find.map(_.data.resolve("results")))

  private def read(file: Path): Vector[Result] = JsonLines.read(file).flatMap(resultOf)

  private[lab] def machineNow: Map[String, String] = {
    val machine = Machine.here()
    Map(
      "cpus" -> machine.cpus.toString,
      "memoryBytes" -> machine.memoryBytes.toString,
      "heapBytes" -> machine.heapBytes.toString,
      "collector" -> machine.collector,
      "jdk" -> machine.jdk,
      "scala" -> machine.scala,
      "kernel" -> machine.kernel,
      "profile" -> machine.profile.name,
      "place" -> machine.place
    )
  }

  private def json(result: Result): JsonObject = {
    val (record, machine) = (new JsonObject, new JsonObject)
    result.machine.toSeq.sorted.foreach { case (name, value) => machine.addProperty(name, value) }
    record.addProperty("name", result.name)
    record.addProperty("value", result.value)
    record.addProperty("unit", result.unit)
    record.addProperty("at", result.at.toString)
    record.addProperty("reader", result.reader)
    record.add("machine", machine)
    record
  }

  /** A record of another shape, from another version of the course perhaps, is passed over. */
  private def resultOf(record: JsonObject): Option[Result] =
    scala.util.Try {
      val machine = record.getAsJsonObject("machine").entrySet.asScala.map(field => field.getKey -> field.getValue.getAsString).toMap
      def text(name: String): String = record.get(name).getAsString
      Result(text("name"), record.get("value").getAsDouble, text("unit"), Instant.parse(text("at")), text("reader"), machine)
    }.toOption
}

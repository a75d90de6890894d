package lab
package jmh

import java.io.File
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{FileSystemException, Files, Path, StandardCopyOption}
import java.security.MessageDigest

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.control.NoStackTrace

/** The cell can't be run as it stands: an option that can't be, or what scalac or JMH's generator said of the source, with the cell's own line numbers. */
final class BenchmarkRefused(message: String) extends IllegalArgumentException(message) with NoStackTrace

/** Compiled benchmarks: a folder of classes and the class path that they run with, themselves first. */
private[lab] final case class Built(classes: Path, classPath: Vector[Path], warnings: Vector[String])

/** Makes benchmarks of a source, or finds those that were made of the same source with the same libraries before. */
private[lab] object Build {

  /** @param libraries what the source may use beside Scala and JMH
    * @throws lab.jmh.BenchmarkRefused if it doesn't compile
    */
  def apply(tools: Tools, java: Path, version: String, libraries: Vector[Path], body: String): Built = {
    val classPath = tools.library(version) +: (tools.jmh ++ libraries)
    val folder = tools.cache.resolve(fingerprint(version, body, classPath))
    val classes = folder.resolve("classes")
    val built = Built(classes, classes +: classPath, Vector.empty)
    if (Files.isDirectory(classes)) built else built.copy(warnings = make(tools, java, version, classPath, packaged(body), folder))
  }

  /** JMH refuses classes without a package; line numbers stay. */
  private[lab] def packaged(body: String): String =
    if (body.linesIterator.exists(_.matches("\\s*package\\s+[\\w.]+.*"))) body else s"package cell$body"

  private def make(tools: Tools, java: Path, version: String, classPath: Vector[Path], source: String, folder: Path): Vector[String] = {
    Files.createDirectories(tools.cache)
    val scratch = Files.createTempDirectory(tools.cache, "making-")
    try {
      val file = Files.writeString(scratch.resolve(fileName), source)
      val classes = Files.createDirectory(scratch.resolve("classes"))
      val stubs = Files.createDirectory(scratch.resolve("stubs"))
      val compiler = tools.scalac(version) ++ tools.jmh ++ Jmh.ownClasses ++ classPath.diff(tools.jmh)
      val command = Seq(java.toString) ++ jvm ++ Seq("-cp", joined(compiler), forked.BuildBenchmarks.getClass.getName.stripSuffix("$")) ++
        Seq(file.toString, joined(classPath), classes.toString, stubs.toString)
      val said = Vector.newBuilder[String]
      val code = Child.run(command, scratch, 1.second)(said += _, () => ())
      val lines = said.result()
      if (code != 0) throw new BenchmarkRefused(refusal(code, lines))
      keep(scratch, folder)
      cellLines(lines.filter(_ => lines.exists(_.contains(s"$fileName:")))).filterNot(_.startsWith(generatorChatter))
    } finally delete(scratch)
  }

  /** Whole or not at all; another kernel that made the same meanwhile is as good. */
  private[lab] def keep(scratch: Path, folder: Path): Unit = {
    val kept = Files.createDirectories(folder).resolve("classes")
    // An atomic move onto a folder that isn't empty fails with no exception of its own.
    try { val _ = Files.move(scratch.resolve("classes"), kept, StandardCopyOption.ATOMIC_MOVE) }
    catch { case _: FileSystemException if Files.isDirectory(kept) => () }
  }

  private[lab] def refusal(code: Int, lines: Vector[String]): String = {
    val told = cellLines(lines).filterNot(line => line.startsWith(generatorChatter) || line.startsWith("Picked up ")).mkString("\n")
    code match {
      case 2 => s"the benchmarks don't compile.\n$told"
      case 1 => s"JMH makes no benchmarks of this source.\n$told"
      case _ => s"the benchmarks could not be compiled (exit code $code).\n$told"
    }
  }

  private def cellLines(lines: Vector[String]): Vector[String] =
    lines
      .map(line => Position.replaceFirstIn(line, "line $1: ").replaceFirst("^(line \\d+: )error: ", "$1"))
      .filterNot(_.matches("(\\d+|one|two|three|four|five) (error|warning)s?( found)?"))

  private val fileName = "cell.scala"
  private val Position = s"^.*[/\\\\]${fileName.replace(".", "\\.")}:(\\d+): ".r
  private val generatorChatter = "Processing "

  private val jvm = Seq("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss8m", "-Xmx512m")

  def joined(paths: Seq[Path]): String = paths.mkString(File.pathSeparator)

  private def fingerprint(version: String, body: String, classPath: Vector[Path]): String = {
    val looks = classPath.map(jar => s"$jar ${Files.size(jar)} ${Files.getLastModifiedTime(jar).toMillis}")
    val digest = MessageDigest.getInstance("SHA-256").digest((Vector(version, body) ++ looks).mkString("\u0000").getBytes(UTF_8))
    digest.take(12).map(byte => f"$byte%02x").mkString
  }

  def delete(folder: Path): Unit = {
    val all = Files.walk(folder)
    try all.iterator.asScala.toVector.reverse.foreach(Files.deleteIfExists)
    finally all.close()
  }
}

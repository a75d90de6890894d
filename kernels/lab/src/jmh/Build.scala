package lab
package jmh

import java.nio.file.{Files, Path}

import scala.concurrent.duration._
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
  def apply(scalac: Scalac, jmh: Vector[Path], java: Path, libraries: Vector[Path], body: String, cache: Path): Built = {
    val classPath = scalac.library +: (jmh ++ libraries)
    val ingredients = Seq(scalac.version, body) ++ ClassCache.looks(classPath)
    val (folder, warnings) = ClassCache(cache, ingredients) { (scratch, kept) =>
      make(scalac.jars ++ jmh, java, classPath, packaged(body), scratch, kept)
    }
    val classes = folder.resolve(classesIn)
    Built(classes, classes +: classPath, warnings.getOrElse(Vector.empty))
  }

  /** JMH refuses classes without a package; line numbers stay. */
  private[lab] def packaged(body: String): String =
    if (body.linesIterator.exists(_.matches("\\s*package\\s+[\\w.]+.*"))) body else s"package cell$body"

  private def make(
      tools: Vector[Path],
      java: Path,
      classPath: Vector[Path],
      source: String,
      scratch: Path,
      kept: Path
  ): Vector[String] = {
    val file = Files.writeString(scratch.resolve(fileName), source)
    val classes = Files.createDirectory(kept.resolve(classesIn))
    val stubs = Files.createDirectory(scratch.resolve("stubs"))
    val compiler = tools ++ Jmh.ownClasses ++ classPath.diff(tools)
    val command = Seq(java.toString) ++ jvm ++ Seq("-cp", ClassCache.joined(compiler)) ++
      Seq(forked.BuildBenchmarks.getClass.getName.stripSuffix("$"), file.toString) ++
      Seq(ClassCache.joined(classPath), classes.toString, stubs.toString)
    val said = Vector.newBuilder[String]
    val code = Child.run(command, scratch, 1.second)(said += _, () => ())
    val lines = said.result()
    if (code != 0) throw new BenchmarkRefused(refusal(code, lines))
    cellLines(lines.filter(_ => lines.exists(_.contains(s"$fileName:")))).filterNot(_.startsWith(generatorChatter))
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
  private val classesIn = "classes"
  private val Position = s"^.*[/\\\\]${fileName.replace(".", "\\.")}:(\\d+): ".r
  private val generatorChatter = "Processing "

  private val jvm = Seq("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss8m", "-Xmx512m")
}

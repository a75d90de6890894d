package lab.magic.jmh

import java.nio.file.{Files, Path}

import lab.installation.Scalac
import lab.magic.CellCompiler
import lab.process.Jvm
import lab.show.ProgressLine

/** Compiled benchmarks: a folder of classes, and the class path to run them with, which begins with that folder. */
private[lab] final case class Built(classes: Path, classPath: Vector[Path])

/** Builds benchmarks from a source, or finds those that were built from the same source with the same libraries before. */
private[lab] object Build {

  /** Builds the benchmarks of one source.
    *
    * @param jmh       JMH with its generator, and ecj
    * @param libraries what the source may use in addition to Scala and JMH
    * @throws lab.magic.jmh.BenchmarkRefused if it doesn't compile
    */
  def apply(scalac: Scalac, jmh: Vector[Path], libraries: Vector[Path], body: String, cache: Path, line: ProgressLine): Built = {
    val classPath = scalac.library ++ jmh ++ libraries
    val main = BuildBenchmarks.getClass.getName.stripSuffix("$")
    val compiler = CellCompiler(s"scalac ${scalac.version}", main, (scalac.jars ++ jmh ++ libraries).distinct, heap, cache, refusal)
    val made = compiler(line, file, packaged(body), classPath) { (classes, scratch) =>
      Seq(file, Jvm.classPath(classPath), classes.toString, Files.createDirectory(scratch.resolve("stubs")).toString)
    }
    Built(made.classes, made.classes +: classPath)
  }

  /** Adds a package, because JMH refuses classes without one. Line numbers don't change. */
  private[jmh] def packaged(body: String): String =
    if (body.linesIterator.exists(_.matches("\\s*package\\s+[\\w.]+.*"))) body else s"package cell$body"

  private[jmh] def refusal(code: Int, said: Vector[String]): Option[Throwable] = {
    val report = said.mkString("\n")
    Option.when(code != 0)(new BenchmarkRefused(code match {
      case 2 => s"the benchmarks don't compile.\n$report"
      case 1 => s"JMH makes no benchmarks of this source.\n$report"
      case _ => s"the benchmarks could not be compiled (exit code $code).\n$report"
    }))
  }

  private val file = "cell.scala"
  private val heap = Seq("-Xss8m", "-Xmx512m")
}

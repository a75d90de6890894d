package lab.magic.kotlin

import java.nio.file.Path

import lab.installation.Installation
import lab.magic.{CellCompiler, CompiledCell}
import lab.process.Jvm
import lab.show.ProgressLine

import scala.util.control.NoStackTrace

/** Signals that the compiler failed or its JVM died, with what it printed. */
final class KotlinFailed(message: String) extends IllegalStateException(message) with NoStackTrace

/** The Kotlin compiler that set-up fetched. */
private[lab] object KotlinCompiler {

  /** Returns the compiler.
    *
    * @param jvm options for its JVM
    * @throws java.lang.IllegalStateException outside a course kernel, or if set-up hasn't fetched the compiler
    */
  def apply(jvm: Vector[String]): CellCompiler = {
    val installation = Installation.here("%%kotlin")
    val jars = installation.jars("kotlin")
    val cache = installation.cache("kotlin")
    val options = heap +: (Jvm.archived(cache, jars ++ Jvm.own) ++ jvm)
    CellCompiler(s"Kotlin ${version(jars)}", main, jars, options, cache, refusal(jvm))
  }

  /** Reads the compiler's version from the names of its JARs.
    *
    * @throws java.lang.IllegalStateException if no JAR looks like a compiler
    */
  def version(jars: Vector[Path]): String = jars
    .map(_.getFileName.toString)
    .collectFirst { case Embeddable(version) => version }
    .getOrElse(
      throw new IllegalStateException(s"there is no kotlin-compiler-embeddable among ${jars.mkString(", ")}. ${Installation.remedy}")
    )

  /** Compiles `source` with the options that concern its classes.
    *
    * @throws lab.magic.kotlin.KotlinRefused if it doesn't compile
    * @throws lab.magic.kotlin.KotlinFailed if the compiler can't say whether it does
    */
  def compile(source: KotlinSource, options: KotlinOptions, classPath: Vector[Path], line: ProgressLine): CompiledCell =
    KotlinCompiler(options.jvm)(line, source.file, source.text, classPath, options.compiler) { (classes, _) =>
      Seq("-no-stdlib", "-no-reflect", "-cp", Jvm.classPath(classPath), "-d", classes.toString) ++ options.compiler :+ source.file
    }

  private[kotlin] def refusal(jvm: Vector[String])(code: Int, said: Vector[String]): Option[Throwable] = {
    val report = said.filterNot(_.isBlank)
    if (code == 0) None
    else if (code == 1 && !report.exists(line => line.startsWith(noJvm) || noMemory.matches(line))) Some(new KotlinRefused(refused(report)))
    else Some(new KotlinFailed(failure(code, report, jvm)))
  }

  private def refused(report: Vector[String]): String = {
    val statement = "A Kotlin file holds declarations, not statements: put statements into a function, and call it from a Scala cell."
    val advice = Option.when(report.exists(_.contains("Expecting a top level declaration")))(statement)
    ("the Kotlin doesn't compile." +: (report ++ advice)).mkString("\n")
  }

  private def failure(code: Int, report: Vector[String], jvm: Vector[String]): String = {
    val shown = if (report.sizeIs <= most) report else report.take(most) :+ s"… ${report.size - most} more lines"
    val remedy =
      if (report.exists(_.contains("OutOfMemoryError")))
        s"It ran with ${(heap +: jvm).filter(_.startsWith("-Xmx")).last}, which is too little for this cell: give it more, as in %%kotlin -J-Xmx400m"
      else s"Run the cell again; if it fails again, leave out what the last lines name"
    s"the Kotlin compiler did not finish (exit code $code; 0 or 1 was expected). It said:\n${shown.mkString("\n")}\n$remedy."
  }
  private val most = 30
  // In these cases the JVM ends with the code that the compiler uses for errors in the source.
  private val noJvm = "Error: Could not create the Java Virtual Machine"
  private val noMemory = """(exception: |Exception in thread .*)java\.lang\.OutOfMemoryError.*""".r

  private val main = "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler"
  private val Embeddable = "kotlin-compiler-embeddable-(.+)\\.jar".r
  private val heap = "-Xmx160m"
}

package lab.magic

import java.nio.file.{Files, Path}
import java.util.regex.Pattern

import lab.installation.{Disk, Installation}
import lab.process.{Child, Jvm}
import lab.show.ProgressLine

import scala.jdk.CollectionConverters._
import scala.util.Using

/** A compiler for source files that are cells. It works in a separate JVM, which ends with the kernel and is killed if the cell is
  * interrupted. Its results are kept ([[ClassCache]]), so no kernel of this clone compiles the same source again.
  *
  * @param name    its name in the line under the cell: "scalac 2.13.18"
  * @param main    its main class
  * @param jars    all JARs that it needs
  * @param jvm     options for its JVM
  * @param cache   the folder in which compiled cells are kept
  * @param refusal returns the error for its exit code, if the code is one, and for its output, in lines of the cell
  */
private[lab] final case class CellCompiler(
    name: String,
    main: String,
    jars: Vector[Path],
    jvm: Seq[String],
    cache: Path,
    refusal: (Int, Vector[String]) => Option[Throwable]
) {

  /** Compiles `text` as a file called `file`, or finds the result of an earlier compilation. Meanwhile `line` shows progress. Warnings are
    * printed.
    *
    * @param classPath what the source may use
    * @param options   the compiler's options, as far as the result depends on them
    * @param arguments returns all arguments, given the folder for the classes and a scratch folder, which holds the file and in which the
    *                  compiler works
    * @throws java.lang.InterruptedException if the cell is interrupted; the compiler is dead then
    */
  def apply(line: ProgressLine, file: String, text: String, classPath: Vector[Path], options: Seq[String] = Nil)(
      arguments: (Path, Path) => Seq[String]
  ): CompiledCell = {
    val ingredients = Seq(name, main, text, file) ++ options ++ ClassCache.looks((jars ++ classPath).distinct)
    val (folder, made) =
      try
        ClassCache(cache, ingredients) { (scratch, kept) =>
          line.say(s"$name compiles")
          Files.writeString(scratch.resolve(file), text)
          val classes = Files.createDirectory(kept.resolve(CompiledCell.classes))
          val command = (Jvm.java() +: (Jvm.brief ++ Jvm.plain ++ jvm)) ++
            Seq("-cp", Jvm.classPath(jars ++ Jvm.own)) ++ Jvm.guest(main) ++ arguments(classes, scratch)
          val said = Vector.newBuilder[String]
          val code = Child.run(command, scratch, ProgressLine.pause)(said += _, () => line.say(s"$name compiles, ${line.time}"))
          val report = CellCompiler.report(said.result(), file)
          if (code != 0) otherwise(code, report, scratch, jars ++ classPath).foreach(throw _)
          refusal(code, report).foreach(throw _)
          Files.write(kept.resolve(CompiledCell.warnings), report.asJava)
        }
      catch {
        case thrown: Throwable =>
          line.say(s"${if (thrown.isInstanceOf[InterruptedException]) "interrupted" else "not compiled"}, ${line.time}")
          throw thrown
      }
    val cell = CompiledCell(folder, if (made.isEmpty) s"compiled before by $name" else s"compiled by $name, ${line.time}")
    if (!cell.warnings.forall(_.isBlank)) cell.warnings.foreach(Console.err.println(_))
    cell
  }

  /** Returns the error that kept the compiler from its work, if the cell isn't to blame. */
  private def otherwise(code: Int, report: Vector[String], folder: Path, files: Vector[Path]): Option[Throwable] = {
    val why = Disk.full(folder, report) orElse files.distinct.filterNot(Jvm.isReadable).headOption.map { broken =>
      s"$broken can't be read: a complete JAR was expected. ${Installation.remedy}"
    } orElse Option.when(Child.wasKilled(code) && !report.exists(_.contains("OutOfMemoryError"))) { // then Kotlin itself ends with 137
      "Run the cell again when other programs leave it more memory."
    }
    why.map(reason => new IllegalStateException(s"$name did not finish, ${Child.ended(code)}: $reason\nIt said:\n${report.mkString("\n")}"))
  }
}

private[lab] object CellCompiler {

  /** Rewrites a compiler's output in lines of the cell, without what its JVM says about itself. */
  def report(lines: Vector[String], file: String): Vector[String] = {
    val position = s"^(?:.*[/\\\\])?${Pattern.quote(file)}:(\\d+):(?:\\d+:)? (?:error: )?".r
    val position3 = s"^-- (?:\\[\\w+\\] )?(.*?): (?:.*[/\\\\])?${Pattern.quote(file)}:(\\d+):\\d+ -+$$".r // Scala 3
    lines.filterNot(noise.matches(_)).map(line => position3.replaceFirstIn(position.replaceFirstIn(line, "line $1: "), "line $2: $1"))
  }
  // JMH's generator reports its steps.
  private val noise =
    "Picked up .*|WARNING: .*|Processing \\d+ classes .*|Writing out Java source to .*|(\\d+|one|two|three|four|five) (error|warning)s?( found)?".r
}

/** The result of compiling a cell, with the compiler's warnings.
  *
  * @param how whether it was compiled now, and by which compiler
  */
private[lab] final case class CompiledCell(folder: Path, how: String) {
  def classes: Path = folder.resolve(CompiledCell.classes)
  def warnings: Vector[String] = Files.readAllLines(folder.resolve(CompiledCell.warnings)).asScala.toVector

  def files: Vector[ClassFile] = Using.resource(Files.walk(classes)) {
    _.iterator.asScala
      .filter(_.toString.endsWith(".class"))
      .map(file => ClassFile(classes.relativize(file).iterator.asScala.mkString(".").stripSuffix(".class"), Files.readAllBytes(file)))
      .toVector
  }
}

private[lab] object CompiledCell {
  val classes = "classes"
  val warnings = "warnings.txt"
}

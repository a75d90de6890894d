package lab.magic

import java.nio.file.{Files, Path}
import java.util.regex.Pattern

import lab.installation.{Disk, Installation}
import lab.process.{Child, Jvm}
import lab.show.ProgressLine

import scala.jdk.CollectionConverters._
import scala.util.Using

/** A compiler for source files that cells are. It works in a JVM of its own, which ends with the kernel, and dies when the cell is
  * interrupted; what it made is kept ([[ClassCache]]), so that the same isn't compiled again, by whichever kernel of this clone.
  *
  * @param name    as the line under the cell calls it: "scalac 2.13.18"
  * @param main    its main class
  * @param jars    all that it needs
  * @param jvm     options for its JVM
  * @param cache   where compiled cells are kept
  * @param refusal the error for its exit code, if that is one, and what it said, in lines of the cell
  */
private[lab] final case class CellCompiler(
    name: String,
    main: String,
    jars: Vector[Path],
    jvm: Seq[String],
    cache: Path,
    refusal: (Int, Vector[String]) => Option[Throwable]
) {

  /** Compiles `text`, which stands in a file called `file`, or finds what was made of it before. Meanwhile `line` says so; warnings are
    * printed.
    *
    * @param classPath what the source may use
    * @param options   of the compiler, as far as what it makes depends on them
    * @param arguments all arguments, given the folder for the classes and a scratch folder, in which the file lies and the compiler works
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

  /** What kept the compiler from its work, if the cell isn't to blame. */
  private def otherwise(code: Int, report: Vector[String], folder: Path, files: Vector[Path]): Option[Throwable] = {
    val why = Disk.full(folder, report) orElse files.distinct.filterNot(Jvm.isReadable).headOption.map { broken =>
      s"$broken can't be read: a whole JAR was expected. ${Installation.remedy}"
    } orElse Option.when(Child.wasKilled(code) && !report.exists(_.contains("OutOfMemoryError"))) { // Kotlin's own code for that is 137
      "Run the cell again when other programs leave it more memory."
    }
    why.map(reason => new IllegalStateException(s"$name did not finish, ${Child.ended(code)}: $reason\nIt said:\n${report.mkString("\n")}"))
  }
}

private[lab] object CellCompiler {

  /** What a compiler said, without what its JVM says of itself, and in lines of the cell. */
  def report(lines: Vector[String], file: String): Vector[String] = {
    val position = s"^(?:.*[/\\\\])?${Pattern.quote(file)}:(\\d+):(?:\\d+:)? (?:error: )?".r
    lines.filterNot(noise.matches(_)).map(position.replaceFirstIn(_, "line $1: "))
  }
  // JMH's generator says what it does on the way.
  private val noise =
    "Picked up .*|WARNING: .*|Processing \\d+ classes .*|Writing out Java source to .*|(\\d+|one|two|three|four|five) (error|warning)s?( found)?".r
}

/** What a compiler made of a cell, with the warnings it had for it.
  *
  * @param how whether it was made now, and by which compiler
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

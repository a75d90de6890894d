package lab.magic.program

import lab.installation.{Installation, Scalac}
import lab.magic.{CellCompiler, CellMagic, MagicCell, MagicOptions, Systems}
import lab.process.{CompiledProgram, Jvm}
import lab.show.ProgressLine

/** Compiles `%%program` cells. The cell's other lines are one Scala source file that runs in a separate JVM, on libraries that the kernel
  * doesn't have.
  *
  * After `%%program --name shop --with play`, with an `object Shop` that has a `main`, `Server.start(shop)` starts it. Options are
  *
  *   - `--name shop`, the name of the value that it leaves in the session; this option is required;
  *   - `--with play`, the system whose libraries it uses (one of `systems` in `kernels/build.json`), or another program of this session,
  *     whose classes and libraries it uses; separate several with commas,
  *   - `--scala 3`, the version of the language, unless it is the session's own.
  *
  * The source sees these, the lab and Scala's library, but nothing that other cells define or import. It is compiled by scalac. A cell
  * isn't compiled again if any kernel of this clone compiled it before. Errors have the cell's own line numbers ([[ProgramRefused]]);
  * warnings are printed.
  */
object ProgramMagic extends CellMagic {
  def name: String = "program"

  def scala(cell: MagicCell): String =
    MagicOptions.bound(cell.options, s"_root_.lab.magic.program.ProgramMagic.compile(_root_.lab.magic.CellMagic.take(${cell.id}))")

  /** Compiles `cell`. The Scala that replaces the cell calls it. */
  def compile(cell: MagicCell): CompiledProgram = {
    val options = ProgramOptions.parse(cell.options)
    val installation = Installation.here("%%program")
    val scalac = options.scala.fold(installation.ownScalac)(requested(installation, _))
    val classPath = (scalac.library ++ Systems.classPath(options.systems)).filterNot(_ == Jvm.lab).distinct :+ Jvm.lab
    val line = new ProgressLine("%%program")
    val cache = CompiledProgram.folder
    val jvm = heap ++ Jvm.archived(cache, scalac.jars ++ Jvm.own)
    val compiler = CellCompiler(s"scalac ${scalac.version}", scalac.main, scalac.jars, jvm, cache, refusal)
    val made = compiler(line, file, cell.body, classPath) { (classes, _) =>
      Seq(
        "-encoding",
        "UTF-8",
        "-deprecation",
        "-feature",
        "-classpath",
        Jvm.classPath(classPath),
        "-d",
        classes.toString,
        file
      ) ++ scalac.plain
    }
    line.say(s"${options.name} ${made.how}")
    CompiledProgram.keep(new CompiledProgram(options.name, mains(cell.body), made.classes +: classPath))
  }

  private def requested(installation: Installation, wish: String): Scalac = installation.scalac(wish).getOrElse {
    throw new ProgramRefused(s"%%program: --scala $wish: not here; there are ${installation.scalacs.mkString(" and ")}")
  }

  private def refusal(code: Int, said: Vector[String]): Option[Throwable] =
    Option.when(code != 0)(new ProgramRefused(s"the program doesn't compile.\n${said.mkString("\n")}"))

  /** Returns the top-level objects in `source` that have a `main`, with their package. */
  private[lab] def mains(source: String): Vector[String] = {
    val inPackage = Package.findFirstMatchIn(source).fold("")(found => s"${found.group(1)}.")
    val objects = TopObject.findAllMatchIn(source).toVector
    val ends = objects.drop(1).map(_.start) :+ source.length
    objects.zip(ends).collect {
      case (found, end) if Main.findFirstIn(source.substring(found.start, end)).nonEmpty => inPackage + found.group(1)
    }
  }
  private val Package = "(?m)^package ([\\w.]+)".r
  private val TopObject = "(?m)^(?:case )?object (\\w+)".r
  private val Main = "def main\\(".r

  private val file = "cell.scala"
  private val heap = Seq("-Xss8m", "-Xmx512m")
}

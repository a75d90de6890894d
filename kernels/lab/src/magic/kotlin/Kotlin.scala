package lab.magic.kotlin

import java.nio.file.Path

import lab.magic.{CellMagic, CompiledCell, MagicCell, SessionClasses}
import lab.process.{CompiledProgram, Jvm}
import lab.show.ProgressLine

/** Compiles `%%kotlin` cells. The cell's other lines are one Kotlin source file, whose classes the next Scala cell can use.
  *
  * Top-level functions and properties become static members of one class. It is called `CellKt` (as Kotlin names it for a file `Cell.kt`)
  * or what `--name` says. After `%%kotlin --name Coroutines` with `fun whichThread(): String`, a Scala cell calls
  * `Coroutines.whichThread()`. A property `limit` is `Coroutines.getLimit()`, and a Scala function literal serves as a Kotlin lambda. A
  * cell without a `package` line is in the package `cell`. Its classes need no import in Scala.
  *
  * Options are
  *   - `--name Coroutines`, the name of that class, and of the file in stack traces;
  *   - the Kotlin compiler's own, with `=` before a value (`-opt-in=…`, `-Werror`, `-progressive`, `-jvm-target=17`);
  *   - `-J` and an option for the compiler's JVM (`-J-Xmx400m`), as in the Kotlin compiler's own command. Otherwise its heap is 160 MB.
  *
  * The source may use Kotlin's library, the lab, what the session has imported by `import \$ivy`, and earlier `%%kotlin` cells, but nothing
  * that Scala cells define. A cell replaces the earlier one with the same name (and package), whether it is the same cell edited or another
  * one, and doesn't see that one. If several cells need each other, give each a `--name`.
  *
  * A cell with a `main` can also run in a separate JVM: see [[program]].
  *
  * Each run defines the classes again, with fresh static state, in a new class loader. Code that was compiled against the older classes (an
  * earlier Scala cell, an object that it made) keeps them. A cell that combines both fails with a `LinkageError`; then run the cells that
  * made the old ones again, too.
  *
  * Errors in the source have the cell's own line numbers ([[lab.magic.kotlin.KotlinRefused]]). If the compiler dies, the error holds what
  * it printed ([[lab.magic.kotlin.KotlinFailed]]). Warnings are printed. An interrupt ends the compiler. A cell isn't compiled again if any
  * kernel of this clone compiled it before, with the same compiler, imports and earlier `%%kotlin` cells. No network is needed either way.
  */
object Kotlin extends CellMagic {
  def name: String = "kotlin"

  def scala(cell: MagicCell): String = s"_root_.lab.magic.kotlin.Kotlin.compile(_root_.lab.magic.CellMagic.take(${cell.id}))"

  /** The compiled cells of this session, the newest first, one for each facade class. */
  @volatile private var cells = Vector.empty[Cell]

  private final case class Cell(source: KotlinSource, options: KotlinOptions, classPath: Vector[Path], made: CompiledCell)

  /** Compiles `cell` and defines its classes in the session. The Scala that replaces the cell calls it. */
  def compile(cell: MagicCell): Unit = {
    val options = KotlinOptions.parse(cell.options)
    val source = KotlinSource(cell.body, options.name)
    val (replaced, others) = cells.partition(_.source.facade == source.facade)
    val whole = (others.map(_.made.classes) ++ libraries).distinct
    // Later cells and imports are no reason to recompile a cell that didn't need them.
    val same = replaced.find(cell => cell.source == source && cell.options == options && cell.classPath.forall(whole.contains))
    val classPath = same.fold(whole)(_.classPath)
    val line = new ProgressLine("%%kotlin")
    val made =
      try KotlinCompiler.compile(source, options, classPath, line)
      catch {
        case refused: KotlinRefused =>
          val advice = replaced.flatMap(cell => adviceOn(refused.getMessage, cell.made, source))
          throw new KotlinRefused((refused.getMessage +: advice).mkString("\n"))
      }
    val names = SessionClasses.define(made.files)
    cells = Cell(source, options, classPath, made) +: others
    line.say(s"${if (names.isEmpty) "no class" else names.map(_.split('.').last).mkString(", ")} ${made.how}")
  }

  /** Finds a cell with a `fun main(arguments: Array<String>)`, as a program that runs in a separate JVM, with what the session had imported
    * when the cell was compiled. Use it for what takes more threads or memory than the kernel should.
    *
    * {{{
    * Kotlin.program("Asleep").run(Seq("virtual", "10000"), jvm = Seq("-Xmx256m")).values
    * }}}
    *
    * @param name the name of the class with the cell's top-level functions: `Asleep` after `%%kotlin --name Asleep`
    * @throws java.lang.IllegalArgumentException if no cell has made such a class; the message names those that there are
    */
  def program(name: String): CompiledProgram = {
    def named(cell: Cell): String = cell.source.facade.split('.').last
    val cell = cells.find(named(_) == name).getOrElse {
      val there = if (cells.isEmpty) "there is none yet" else s"there are ${cells.map(named).sorted.mkString(", ")}"
      throw new IllegalArgumentException(s"no %%kotlin cell was run with --name $name; $there")
    }
    new CompiledProgram(name, Vector(cell.source.facade), cell.made.classes +: cell.classPath)
  }

  /** Returns Kotlin's library, the lab with Scala's, and what the session imported. Kotlin's comes first, since the kernel itself runs with
    * it.
    */
  private def libraries: Vector[Path] =
    Vector(classOf[_root_.kotlin.Unit], classOf[CellMagic], classOf[Option[_]]).map(Jvm.jarOf) ++ SessionClasses.imported

  /** Returns advice on a name that the compiler doesn't find, if the cell that this one replaces has it. */
  private[kotlin] def adviceOn(report: String, replaced: CompiledCell, source: KotlinSource): Option[String] = {
    val lost = Unresolved.findAllMatchIn(report).map(_.group(1)).toSet.filter { name =>
      replaced.files.exists(file => new String(file.bytes, java.nio.charset.StandardCharsets.ISO_8859_1).contains(name))
    }
    Option.when(lost.nonEmpty)(
      s"${lost.toSeq.sorted.mkString(", ")}: an earlier %%kotlin cell has it, but this cell replaces it, because both are called ${source.facade}. " +
        "Give one of them another name, as in %%kotlin --name Other."
    )
  }
  private val Unresolved = "unresolved reference '(\\w+)'".r
}

package lab

import java.nio.file.Path

import lab.program.{Options, Source}

import scala.concurrent.duration._
import scala.util.control.NoStackTrace

/** The cell can't be compiled as it stands: an option that can't be, or what scalac said of the source, with the cell's own line numbers. */
final class ProgramRefused(message: String) extends IllegalArgumentException(message) with NoStackTrace

/** A program in classes of its own, to be run in a JVM of its own: made by a `%%program` cell, run by [[Server.start]] or [[Gatling.run]].
  *
  * @param name      what it is called in the session
  * @param mains     its main classes: objects at the top with a `main`
  * @param classPath itself, the systems that it was compiled with, Scala, the lab
  */
final class CompiledProgram private[lab] (val name: String, val mains: Vector[String], val classPath: Vector[Path]) {

  /** Runs its main to the end in a JVM of its own.
    *
    * @param jvm   options; the JVM has a heap of 128 MB otherwise
    * @param limit after so long it is killed
    * @param quota how many CPUs' time it may use, 0.5 for instance: see [[CpuQuota]]
    * @throws java.util.concurrent.TimeoutException after `limit`, with what it printed until then
    * @throws java.lang.InterruptedException if the cell is interrupted; it is killed then too
    */
  def run(arguments: Seq[String] = Nil, jvm: Seq[String] = Nil, limit: FiniteDuration = 60.seconds, quota: Option[Double] = None): Forked =
    Fork.run(CpuQuota.wrap(quota, command(main, arguments, jvm)), limit)

  /** @throws java.lang.IllegalArgumentException if there isn't exactly one */
  private[lab] def main: String = mains match {
    case Vector(one) => one
    case Vector() =>
      throw new IllegalArgumentException(s"$name has nothing to start: an `object` with a `def main(arguments: Array[String])` is needed")
    case several => throw new IllegalArgumentException(s"$name has ${several.size} mains (${several.mkString(", ")}); make it one")
  }

  /** The command that runs `main` in a JVM that ends with the kernel and lives beside it: with the garbage collector that takes least memory, if `jvm` names none.
    *
    * @param jvm options; the later ones win
    */
  private[lab] def service(main: String, arguments: Seq[String], jvm: Seq[String]): Vector[String] = {
    val chosen = jvm.exists(_.matches("-XX:\\+Use\\w+GC"))
    command(main, arguments, (if (chosen) Nil else Seq("-XX:+UseSerialGC")) ++ jvm)
  }

  /** As [[service]], with the garbage collector that the JVM chooses. */
  private[lab] def command(main: String, arguments: Seq[String], jvm: Seq[String]): Vector[String] = {
    val java = Jmh.launcher(Path.of(System.getProperty("java.home"))).toString
    val options = CompiledProgram.jvm ++ jvm ++ Seq("-cp", ClassCache.joined(classPath))
    Vector(java) ++ options ++ Fork.guest(main) ++ arguments
  }

  override def toString: String = s"$name (${if (mains.isEmpty) "no main" else mains.mkString(", ")})"
}

/** `%%program`: the cell's other lines are one Scala source file that is to run in a JVM of its own, on libraries that the kernel hasn't got.
  *
  * After `%%program --name shop --with play`, with an `object Shop` that has a `main`, `Server.start(shop)` starts it. Options are
  *
  *   - `--name shop`, the name of the value that it leaves in the session; this one is needed;
  *   - `--with play`, the system whose libraries it uses (one of `systems` in `kernels/build.json`); several with commas.
  *
  * The source sees these libraries, the lab and Scala's, but nothing that other cells define or import. It is compiled by scalac; a cell that was compiled
  * before, by whichever kernel of this clone, isn't compiled again. Errors are told with the cell's own lines ([[ProgramRefused]]); warnings are printed.
  */
object CompiledProgram extends CellMagic {
  def name: String = "program"

  def scala(cell: MagicCell): String = {
    val call = s"_root_.lab.CompiledProgram.compile(_root_.lab.CellMagic.take(${cell.id}))"
    Options.nameIn(cell.options).fold(call)(name => s"val $name = $call")
  }

  /** Compiles `cell`; called by the Scala that stands for it. */
  def compile(cell: MagicCell): CompiledProgram = {
    val options = Options.parse(cell.options)
    val installation = Installation.here
    val scalac = installation.ownScalac
    val libraries = options.systems.flatMap(installation.system).filterNot(Scalac.isLibrary)
    val classPath = (scalac.library +: libraries).distinct :+ Fork.jarOf(classOf[CellMagic])
    val line = new StatusLine("%%program")
    val source = Source(cell.body)
    line.say(s"scalac ${scalac.version} compiles ${options.name}")
    val made =
      try
        source.compile(scalac.jars, classPath, cache)(() => line.say(s"scalac ${scalac.version} compiles ${options.name}, ${line.time}"))
      catch {
        case failed: Throwable =>
          line.say(s"${options.name} not compiled, ${line.time}")
          throw failed
      }
    made.warnings.foreach(warning => Console.err.println(warning))
    val how = if (made.fresh) s"compiled by scalac ${scalac.version}, ${line.time}" else s"compiled before by scalac ${scalac.version}"
    line.say(s"${options.name} $how")
    new CompiledProgram(options.name, source.mains, made.classes +: classPath)
  }

  /** Where compiled programs are kept, and what they need while they run. */
  private[lab] def cache: Path = Installation.here.cache("programs")

  /** A heap that leaves room for the kernel where memory is short. */
  private[lab] val jvm =
    Vector("-Xmx128m", "-Djava.awt.headless=true") ++ Vector("stdout", "stderr", "file").map(stream => s"-D$stream.encoding=UTF-8")
}

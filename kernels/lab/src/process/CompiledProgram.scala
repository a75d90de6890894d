package lab.process

import java.nio.file.Path
import java.util.concurrent.atomic.AtomicReference

import lab.installation.Installation

import scala.concurrent.duration._

/** A program in its own classes, made by a `%%program` cell to run in a separate JVM. [[Server.start]] and [[lab.load.Gatling.run]] run it.
  *
  * @param name      the program's name in the session
  * @param mains     its main classes, which are top-level objects with a `main`
  * @param classPath the program itself, the systems and programs that it was compiled with, Scala, the lab
  */
final class CompiledProgram private[lab] (val name: String, val mains: Vector[String], val classPath: Vector[Path]) {

  /** Runs the program's main to its end in a separate JVM.
    *
    * @param jvm   options for the JVM, which has a heap of 128 MB otherwise
    * @param limit the time after which it is killed
    * @param quota how many CPUs' time it may use, such as 0.5: see [[CpuQuota]]
    * @throws java.util.concurrent.TimeoutException after `limit`, with what it printed until then
    * @throws java.lang.InterruptedException if the cell is interrupted; it is killed then too
    */
  def run(arguments: Seq[String] = Nil, jvm: Seq[String] = Nil, limit: FiniteDuration = 60.seconds, quota: Option[Double] = None): Forked =
    Fork.run(CpuQuota.wrap(quota, command(main, arguments, jvm)), limit)

  /** Returns the only main class.
    *
    * @throws java.lang.IllegalArgumentException if there isn't exactly one
    */
  private[lab] def main: String = mains match {
    case Vector(one) => one
    case Vector() =>
      throw new IllegalArgumentException(s"$name has nothing to start: an `object` with a `def main(arguments: Array[String])` is needed")
    case several => throw new IllegalArgumentException(s"$name has ${several.size} mains (${several.mkString(", ")}); keep only one")
  }

  /** Returns the command that runs `main` in a JVM that ends with the kernel and runs next to it. Unless `jvm` names a garbage collector,
    * it uses the one that takes the least memory.
    *
    * @param jvm options; the later ones win
    */
  private[lab] def service(main: String, arguments: Seq[String], jvm: Seq[String]): Vector[String] = {
    val chosen = jvm.exists(_.matches("-XX:\\+Use\\w+GC"))
    command(main, arguments, (if (chosen) Nil else Seq("-XX:+UseSerialGC")) ++ jvm)
  }

  /** Returns the same command as [[service]], but with the garbage collector that the JVM chooses. */
  private[process] def command(main: String, arguments: Seq[String], jvm: Seq[String]): Vector[String] = {
    val options = CompiledProgram.jvm ++ jvm ++ Seq("-cp", Jvm.classPath(classPath))
    Vector(Jvm.java()) ++ options ++ Jvm.guest(main) ++ arguments
  }

  override def toString: String = s"$name (${if (mains.isEmpty) "no main" else mains.mkString(", ")})"
}

private[lab] object CompiledProgram {

  private val made = new AtomicReference(Map.empty[String, CompiledProgram])

  /** Keeps a program, so that others can be compiled with it from now on. */
  def keep(program: CompiledProgram): CompiledProgram = {
    made.updateAndGet(_.updated(program.name, program))
    program
  }

  /** Finds the latest program with this name in this session. */
  def named(name: String): Option[CompiledProgram] = made.get.get(name)

  /** The folder for compiled programs and what they need while they run. */
  def folder: Path = Installation.here("%%program").cache("programs")

  /** Options with a heap that leaves room for the kernel if memory is short. */
  private val jvm = "-Xmx128m" +: Jvm.plain
}

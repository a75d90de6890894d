package lab.process

import java.nio.file.Path
import java.util.concurrent.atomic.AtomicReference

import lab.installation.Installation

import scala.concurrent.duration._

/** A program in classes of its own, to be run in a JVM of its own: made by a `%%program` cell, run by [[Server.start]] or
  * [[lab.load.Gatling.run]].
  *
  * @param name      what it is called in the session
  * @param mains     its main classes: objects at the top with a `main`
  * @param classPath itself, the systems and programs that it was compiled with, Scala, the lab
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

  /** The command that runs `main` in a JVM that ends with the kernel and lives beside it: with the garbage collector that takes least
    * memory, if `jvm` names none.
    *
    * @param jvm options; the later ones win
    */
  private[lab] def service(main: String, arguments: Seq[String], jvm: Seq[String]): Vector[String] = {
    val chosen = jvm.exists(_.matches("-XX:\\+Use\\w+GC"))
    command(main, arguments, (if (chosen) Nil else Seq("-XX:+UseSerialGC")) ++ jvm)
  }

  /** As [[service]], with the garbage collector that the JVM chooses. */
  private[process] def command(main: String, arguments: Seq[String], jvm: Seq[String]): Vector[String] = {
    val options = CompiledProgram.jvm ++ jvm ++ Seq("-cp", Jvm.classPath(classPath))
    Vector(Jvm.java()) ++ options ++ Jvm.guest(main) ++ arguments
  }

  override def toString: String = s"$name (${if (mains.isEmpty) "no main" else mains.mkString(", ")})"
}

private[lab] object CompiledProgram {

  private val made = new AtomicReference(Map.empty[String, CompiledProgram])

  /** From now on others can be compiled with it. */
  def keep(program: CompiledProgram): CompiledProgram = {
    made.updateAndGet(_.updated(program.name, program))
    program
  }

  /** The latest of this name in this session. */
  def named(name: String): Option[CompiledProgram] = made.get.get(name)

  /** Where compiled programs are kept, and what they need while they run. */
  def folder: Path = Installation.here("%%program").cache("programs")

  /** A heap that leaves room for the kernel where memory is short. */
  private val jvm = "-Xmx128m" +: Jvm.plain
}

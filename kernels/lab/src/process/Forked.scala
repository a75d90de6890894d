package lab.process

import java.nio.file.Path

import lab.installation.Disk
import lab.show.Say

import scala.concurrent.duration._

/** The result of a forked JVM: its exit code, what it printed on standard output and standard error, and how long it lived. */
final class Forked(val command: Seq[String], val exit: Int, val out: Vector[String], val err: Vector[String], val lived: FiniteDuration) {

  /** Returns what the JVM printed on standard output, if all went well.
    *
    * @throws java.lang.IllegalStateException if it ended with another exit code than 0, with everything it printed
    */
  def lines: Vector[String] =
    if (exit == 0) out
    else {
      val disk = Disk.full(Path.of(System.getProperty("java.io.tmpdir")), out ++ err)
      throw new IllegalStateException(
        s"the forked JVM ended with ${Child.ended(exit)}, 0 was expected.${disk.fold("")(" " + _)}\n$transcript"
      )
    }

  /** Reads the lines `name=value`, and leaves out other lines. If a name isn't there, `apply` throws and shows what was printed; `get`
    * doesn't throw.
    *
    * @throws java.lang.IllegalStateException also if there is no such line at all
    */
  def values: Map[String, String] = {
    val told = lines.collect { case Forked.Pair(name, value) => name -> value }.toMap
    if (told.isEmpty) throw missing("name=value")
    told.withDefault(name => throw missing(s"$name="))
  }

  private def missing(line: String): IllegalStateException = new IllegalStateException(
    s"the forked JVM ended with exit code $exit but didn't print the line that was expected, $line. Run the cell again.\n$transcript"
  )

  private[lab] def transcript: String =
    (Vector(s"command: ${command.mkString(" ")}") ++ out.takeRight(20).map("out: " + _) ++ err.takeRight(20).map("err: " + _))
      .mkString("\n")

  override def toString: String = s"forked JVM, exit code $exit after ${Say.time(lived)}"
}

object Forked {

  /** The exit code of a program that found that this system lacks what the program needs. */
  val notHere: Int = 125

  private val Pair = "([\\w.-]+)=(.*)".r
}

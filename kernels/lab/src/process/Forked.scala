package lab

import scala.concurrent.duration._

/** What a forked JVM did: its exit code, what it printed on standard output and standard error, how long it lived.
  */
final class Forked(val command: Seq[String], val exit: Int, val out: Vector[String], val err: Vector[String], val lived: FiniteDuration) {

  /** What it printed, if all went well.
    *
    * @throws java.lang.IllegalStateException otherwise, with everything it said
    */
  def lines: Vector[String] =
    if (exit == 0) out
    else throw new IllegalStateException(s"the forked JVM ended with exit code $exit, 0 was expected.\n$transcript")

  /** `lines` read as `name=value`; other lines are left out. */
  def values: Map[String, String] = lines.collect { case Forked.Pair(name, value) => name -> value }.toMap

  private[lab] def transcript: String =
    (Vector(s"command: ${command.mkString(" ")}") ++ out.takeRight(20).map("out: " + _) ++ err.takeRight(20).map("err: " + _))
      .mkString("\n")

  override def toString: String = s"forked JVM, exit code $exit after ${Say.time(lived)}"
}

object Forked {
  private val Pair = "([\\w.-]+)=(.*)".r
}

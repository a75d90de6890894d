package lab

import java.io.File
import java.net.URI
import java.nio.file.{Files, Path}
import java.util.concurrent.{TimeUnit, TimeoutException}

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** A main class of the lab that can run in a JVM of its own. */
trait Program {
  def main(arguments: Array[String]): Unit
}

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

/** Runs one of the lab's small programs in a JVM of the same runtime, for what one JVM can't show about itself: how it looks with other options, or with another
  * Scala library.
  *
  * The class path is the lab's own and the Scala library's, found from where their classes were loaded, so it is the same under every kernel; the child
  * inherits the environment (so `JAVA_TOOL_OPTIONS` reaches it too, and `jvm` overrides that). Several threads may fork at once.
  */
object Fork {

  /** Waits for the program to end and returns what it did, whatever its exit code.
    *
    * @param jvm           options for the JVM; they come last and so override the bounded heap and the single compiler tier given here
    * @param limit         after so long the child is killed
    * @param scalaLibrary  another Scala library in place of this one; the program must keep to what both have
    * @throws java.util.concurrent.TimeoutException after `limit`, with what the child printed until then
    * @throws java.lang.InterruptedException if the cell is interrupted; the child is killed then too
    */
  def apply(
      program: Program,
      arguments: Seq[String] = Nil,
      jvm: Seq[String] = Nil,
      limit: FiniteDuration = 30.seconds,
      scalaLibrary: Option[Path] = None
  ): Forked = {
    val library = scalaLibrary.getOrElse(jarOf(classOf[Option[_]]))
    val classPath = Seq(library, jarOf(Fork.getClass)).mkString(File.pathSeparator)
    val options = Seq("-Xmx64m", "-XX:TieredStopAtLevel=1", "-cp", classPath) ++ jvm
    val command = Seq(java) ++ options ++ Seq(program.getClass.getName.stripSuffix("$")) ++ arguments
    val (out, err) = (Files.createTempFile("course-fork", ".out"), Files.createTempFile("course-fork", ".err"))
    try {
      val began = System.nanoTime
      val child = new ProcessBuilder(command.asJava).redirectOutput(out.toFile).redirectError(err.toFile).start()
      def soFar(exit: Int): Forked =
        new Forked(
          command,
          exit,
          Files.readAllLines(out).asScala.toVector,
          Files.readAllLines(err).asScala.toVector,
          (System.nanoTime - began).nanos
        )
      try
        if (child.waitFor(limit.toNanos, TimeUnit.NANOSECONDS)) soFar(child.exitValue)
        else throw new TimeoutException(s"the forked JVM had not ended after ${Say.time(limit)} and was killed.\n${soFar(-1).transcript}")
      finally {
        child.destroyForcibly()
        ()
      }
    } finally {
      Files.deleteIfExists(out)
      Files.deleteIfExists(err)
      ()
    }
  }

  /** The launcher of the runtime that this JVM came from. */
  private def java: String = Path.of(System.getProperty("java.home"), "bin", "java").toString

  /** Where a class was loaded from. */
  private[lab] def jarOf(loaded: Class[_]): Path =
    Option(loaded.getProtectionDomain.getCodeSource).flatMap(source => Option(source.getLocation)).map(_.toURI) match {
      case Some(uri) if uri.getScheme == "file" => Path.of(URI.create(uri.toString))
      case other =>
        throw new IllegalStateException(
          s"can't fork: ${loaded.getName} was loaded from ${other.fold("an unknown place")(_.toString)}, a file was expected; run `kernels/course doctor`"
        )
    }
}

package lab.process

import java.nio.file.Path
import java.util.concurrent.{TimeUnit, TimeoutException}

import lab.installation.Jdks
import lab.show.Say

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** Runs one of the lab's small programs in a separate JVM, for what one JVM can't show about itself: how it looks with other options, on
  * another JDK, with another Scala library, or short of memory.
  *
  * The class path holds the lab and the Scala library, found from where their classes were loaded, so it is the same under every kernel.
  * The child ends with the kernel and inherits the environment. `JAVA_TOOL_OPTIONS` therefore reaches it too, and `jvm` overrides that.
  * Several threads may fork simultaneously.
  */
object Fork {

  /** Waits for the program to end and returns what it did, whatever its exit code.
    *
    * @param quota        how many CPUs' time it may use, such as 0.5: see [[CpuQuota]]
    * @param jvm          options for the JVM; they come last, and so override the bounded heap and the single compiler tier given here
    * @param limit        the time after which the child is killed
    * @param scalaLibrary a Scala library that replaces this one; the program must use only what both have
    * @param jdk          the number of another Java runtime that set-up fetched; the program must use only what that one has
    * @param addressSpace how many MiB of address space the child may use in all (`ulimit -v`, which affects nothing else on the machine and
    *                     needs no rights). If the system has no such limit, the child doesn't start, and its exit code is 125
    * @throws java.util.concurrent.TimeoutException after `limit`, with what the child printed until then
    * @throws java.io.IOException if its output can't be read to the end, or takes more than 8 MiB of memory; the child is killed then
    * @throws java.lang.InterruptedException if the cell is interrupted; the child is killed then too
    * @throws java.lang.IllegalArgumentException if there is no such JDK here; the message names those that there are
    */
  def apply(
      program: Program,
      arguments: Seq[String] = Nil,
      jvm: Seq[String] = Nil,
      limit: FiniteDuration = 30.seconds,
      scalaLibrary: Option[Path] = None,
      jdk: Option[Int] = None,
      addressSpace: Option[Int] = None,
      quota: Option[Double] = None
  ): Forked = {
    val library = scalaLibrary.getOrElse(Jvm.jarOf(classOf[Option[_]]))
    val options = Seq("-Xmx64m", "-XX:TieredStopAtLevel=1", Jvm.fileless, "-cp", Jvm.classPath(Seq(library, Jvm.lab))) ++ jvm
    val java = jdk.map(Jdks(_)).fold(Jvm.java())(Jvm.java(_))
    val main = program.getClass.getName.stripSuffix("$")
    val command = addressSpace.fold(Seq.empty[String])(limited) ++ Seq(java) ++ options ++ Jvm.guest(main) ++ arguments
    run(CpuQuota.wrap(quota, command), limit)
  }

  /** Runs `command` to its end, and keeps its two outputs apart. */
  private[process] def run(command: Seq[String], limit: FiniteDuration): Forked = {
    val began = System.nanoTime
    val child = new ProcessBuilder(command.asJava).start()
    val (out, err) = (new Printed(child, child.getInputStream), new Printed(child, child.getErrorStream))
    def soFar(exit: Int): Forked = new Forked(command, exit, out.lines, err.lines, (System.nanoTime - began).nanos)
    def printed(): Boolean = Seq(out, err).forall(_.hasEnded(grace))
    try {
      val inTime = child.waitFor(limit.toNanos, TimeUnit.NANOSECONDS)
      if (inTime && printed()) soFar(child.exitValue)
      else {
        Child.end(child)
        printed()
        val what = if (inTime) "ended, but a program that it started still held its output" else "had not ended"
        throw new TimeoutException(s"the forked JVM $what after ${Say.time(limit)} and was killed.\n${soFar(-1).transcript}")
      }
    } finally Child.end(child)
  }

  /** How long the last lines of a program that has ended may take. */
  private val grace = 5.seconds

  /** Returns a shell that limits its address space and then becomes the program named after it. */
  private def limited(mebibytes: Int): Seq[String] =
    // Without the variable, glibc reserves 64 MiB for each new thread's own allocation arena.
    Seq("/bin/sh", "-c", "ulimit -v \"$0\" || exit 125; MALLOC_ARENA_MAX=1 exec \"$@\"", (mebibytes * 1024L).toString)
}

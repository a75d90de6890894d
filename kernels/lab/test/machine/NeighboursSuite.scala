package lab.machine

import java.io.ByteArrayOutputStream
import java.util.concurrent.TimeUnit.MILLISECONDS

import scala.concurrent.duration._

class NeighboursSuite extends munit.FunSuite {

  private def spin(time: FiniteDuration): Unit = {
    val until = System.nanoTime + time.toNanos
    while (System.nanoTime < until) Thread.onSpinWait()
  }

  /** Runs `body` while `many` other processes compute. */
  private def beside[A](processes: Int)(body: => A): A = {
    // Its parent ends immediately, so it isn't a child of this JVM.
    val script = "for n in $(seq " + processes + "); do (while :; do :; done) >&2 & echo $!; done"
    val started = new ProcessBuilder("setsid", "sh", "-c", script).redirectError(ProcessBuilder.Redirect.DISCARD).start()
    val pids = scala.io.Source.fromInputStream(started.getInputStream).getLines().map(_.toLong).toVector
    started.waitFor()
    try body
    finally pids.foreach(pid => ProcessHandle.of(pid).ifPresent { process => process.destroyForcibly(); () })
  }

  test("CPU time of this JVM and its children doesn't count as taken") {
    val cpus = Runtime.getRuntime.availableProcessors
    val alone = Neighbours.watch()
    spin(300.millis)
    assume(alone.taken.nonEmpty, "this system doesn't report CPU times")
    val quiet = alone.taken.get
    val child = new ProcessBuilder("sh", "-c", "while :; do :; done").start()
    val watch = Neighbours.watch()
    spin(500.millis)
    val found = watch.taken.get
    child.destroyForcibly().waitFor()
    // If the child's time counted as taken, it would be at least half a CPU.
    assert(found < quiet + 0.4 / cpus, s"$found next to a child, $quiet alone")
  }

  test("CPU time of others counts, and disturbs if no CPU is left") {
    val cpus = Runtime.getRuntime.availableProcessors
    assume(Neighbours.watch().taken.nonEmpty || { MILLISECONDS.sleep(50); Neighbours.watch().taken.isEmpty })
    beside(2 * cpus) {
      val watch = Neighbours.watch()
      spin(500.millis)
      assume(watch.taken.nonEmpty, "this system doesn't report CPU times")
      assert(watch.taken.exists(_ > 0.3), watch.taken)
      val said = new ByteArrayOutputStream
      Console.withOut(said)(watch.tell())
      assert(said.toString.matches("(?s)This machine is busy: other programs took \\d+ %.*"), said.toString)
    }
  }
}

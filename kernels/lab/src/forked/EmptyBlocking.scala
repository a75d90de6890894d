package lab.forked

import java.lang.management.ManagementFactory
import java.util.Arrays
import java.util.concurrent.{CountDownLatch, TimeUnit}

import lab.process.Program

import scala.concurrent.duration._
import scala.concurrent.{blocking, ExecutionContext, Future}

/** Shows what a pool does while a hundred Futures call `blocking` and have nothing to wait for: whether it starts threads, or what else its
  * workers do. A hundred Futures on the global pool count down a latch, again and again, with an empty `blocking` and without.
  *
  * Argument: how many milliseconds each of the two runs. It prints, for `without` and for `empty`:
  *   - `.micros=`, the mean time of a hundred Futures;
  *   - `.started=`, the threads that were started in all, and `.runs=`, in how many repetitions;
  *   - `.threads=`, the largest number of threads of the pool;
  *   - `.asking=`, the percentage of samples of busy workers that found them in `ForkJoinPool.managedBlock` but not yet in the body, so
  *     they were asking whether they may block;
  *   - `.cpus=`, how many CPUs the JVM kept busy, if it reports that.
  *
  * It only uses what JDK 8 and Scala 2.12 have, the versions of the published figures.
  */
object EmptyBlocking extends Program {
  private val futures = 100
  private val workers = "scala-execution-context-global"
  private val between = 2.millis

  def main(arguments: Array[String]): Unit = {
    val length = Integer.parseInt(arguments(0)).millis
    val (without, empty) = (() => (), () => blocking(()))
    repeat(without, length) // until it is compiled
    repeat(empty, length)
    look("without", without, length)
    look("empty", empty, length)
  }

  private def look(name: String, body: () => Unit, length: FiniteDuration): Unit = {
    val seen = new Seen
    val (began, started, cpu) = (System.nanoTime, threads.getTotalStartedThreadCount, cpuNanos())
    val watcher = new Thread((() => seen.watch()): Runnable, "watcher")
    watcher.setDaemon(true)
    watcher.start()
    val runs = repeat(body, length)
    val nanos = System.nanoTime - began
    val used = cpuNanos() - cpu
    seen.enough.countDown()
    watcher.join()
    println(s"$name.micros=${nanos / 1e3 / runs}")
    println(s"$name.runs=$runs")
    println(s"$name.started=${threads.getTotalStartedThreadCount - started - 1}") // without the watcher
    println(s"$name.threads=${seen.most}")
    println(s"$name.asking=${if (seen.working == 0) 0.0 else 100.0 * seen.asking / seen.working}")
    if (cpu >= 0) println(s"$name.cpus=${used.toDouble / nanos}")
  }

  /** Returns how many times a hundred Futures completed in `length`. */
  private def repeat(body: () => Unit, length: FiniteDuration): Int = {
    val end = System.nanoTime + length.toNanos
    var runs = 0
    while (System.nanoTime < end || runs == 0) {
      val latch = new CountDownLatch(futures)
      var n = 0
      while (n < futures) {
        Future { body(); latch.countDown() }(ExecutionContext.global)
        n += 1
      }
      if (!latch.await(20, TimeUnit.SECONDS)) throw new IllegalStateException("a hundred Futures took more than 20 s")
      runs += 1
    }
    runs
  }

  /** The samples of the pool's threads. */
  private final class Seen {
    val enough = new CountDownLatch(1)
    @volatile var most, working, asking = 0 // only the watcher writes them

    def watch(): Unit = while (!enough.await(between.toMillis, TimeUnit.MILLISECONDS)) {
      var pool = 0
      Thread.getAllStackTraces.forEach { (thread, stack) =>
        if (thread.getName.startsWith(workers)) {
          pool += 1
          if (thread.getState == Thread.State.RUNNABLE) {
            working += 1
            if (asks(stack)) asking += 1
          }
        }
      }
      most = Math.max(most, pool)
    }

    /** Returns whether `managedBlock` is on the stack, and `block` isn't, which it calls when it may block. */
    private def asks(stack: Array[StackTraceElement]): Boolean = {
      def on(method: String): Boolean = Arrays.stream(stack).anyMatch(_.getMethodName == method)
      on("managedBlock") && !on("block")
    }
  }

  private val threads = ManagementFactory.getThreadMXBean

  /** Returns -1 if this JVM doesn't report its CPU time. */
  private def cpuNanos(): Long = ManagementFactory.getOperatingSystemMXBean match {
    case system: com.sun.management.OperatingSystemMXBean => system.getProcessCpuTime
    case _                                                => -1
  }
}

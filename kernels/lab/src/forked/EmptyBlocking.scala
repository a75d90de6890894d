package lab.forked

import java.lang.management.ManagementFactory
import java.util.Arrays
import java.util.concurrent.{CountDownLatch, TimeUnit}

import lab.process.Program

import scala.concurrent.duration._
import scala.concurrent.{blocking, ExecutionContext, Future}

/** What does a pool do while a hundred Futures say `blocking` and have nothing to wait for? Does it start threads, or where else are its
  * workers? A hundred Futures on the global pool count down a latch, again and again, with an empty `blocking` and without.
  *
  * Arguments: how many milliseconds each of the two is looked at. Prints, for `without` and for `empty`: `.micros=` (a hundred Futures, on
  * average), `.started=` (threads that were started meanwhile, in all, and `.runs=` in how many times a hundred Futures), `.threads=` (the
  * most threads that the pool had), `.asking=` (of all looks that found a worker at work, the percentage that found it in
  * `ForkJoinPool.managedBlock` but not yet in the body: asking whether it may block), and `.cpus=` (how many CPUs the JVM kept busy,
  * where it says so).
  *
  * It keeps to what JDK 8 and Scala 2.12 have, the versions that the published figures come from.
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
    println(s"$name.started=${threads.getTotalStartedThreadCount - started - 1}") // but for the watcher
    println(s"$name.threads=${seen.most}")
    println(s"$name.asking=${if (seen.working == 0) 0.0 else 100.0 * seen.asking / seen.working}")
    if (cpu >= 0) println(s"$name.cpus=${used.toDouble / nanos}")
  }

  /** How many times a hundred Futures are done in `length`. */
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

  /** What the pool's threads are seen at. */
  private final class Seen {
    val enough = new CountDownLatch(1)
    @volatile var most, working, asking = 0 // written by the watcher alone

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

    /** `managedBlock` is on the stack, and `block`, which it calls when it may, isn't. */
    private def asks(stack: Array[StackTraceElement]): Boolean = {
      def on(method: String): Boolean = Arrays.stream(stack).anyMatch(_.getMethodName == method)
      on("managedBlock") && !on("block")
    }
  }

  private val threads = ManagementFactory.getThreadMXBean

  /** -1 where this JVM doesn't say. */
  private def cpuNanos(): Long = ManagementFactory.getOperatingSystemMXBean match {
    case system: com.sun.management.OperatingSystemMXBean => system.getProcessCpuTime
    case _                                                => -1
  }
}

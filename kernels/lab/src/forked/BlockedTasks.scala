package lab.forked

import java.io.{OutputStream, PrintStream}
import java.nio.file.{Files, Path}
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, Executors, ForkJoinPool, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import lab.machine.Settle
import lab.process.Program

import scala.concurrent.{blocking, ExecutionContext, Future}
import scala.jdk.CollectionConverters._

/** Submits Futures to the global pool that wait inside `blocking`, until one fails or no more of them start. Each occupies some heap
  * meanwhile. `-Dscala.concurrent.context.maxExtraThreads` limits the number of spare threads.
  *
  * Arguments: the number of Futures, and how many KiB of heap each occupies. `fixed=16` submits them to a fixed pool of 16 threads instead
  * of the global pool. `silent` leaves out `blocking`. If the address space is limited, add the limit and a thread's stack (`-Xss`), in
  * MiB. Then half a stack is left when no further thread fits, which is enough for the JVM itself to continue.
  *
  * Now and then, and at the end, it prints `waiting` (how many wait) and `threads` (those of the global pool). Then it prints `failure`
  * (the first error), `failed` (how many bodies failed), `complete` (how many of the Futures completed), and `another`: whether another
  * task of the global pool still runs within a second.
  */
object BlockedTasks extends Program {
  private val inside = new AtomicInteger
  private val failures = new ConcurrentLinkedQueue[Throwable]

  def main(arguments: Array[String]): Unit = {
    val (silent, others) = arguments.toSeq.partition(_ == "silent")
    val (fixed, sizes) = others.partition(_.startsWith("fixed="))
    val (tasks, held) = (sizes(0).toInt, sizes(1).toInt * 1024)
    val pool = fixed.headOption.fold[ExecutionContext](ExecutionContext.global)(option => daemons(option.stripPrefix("fixed=").toInt))
    if (sizes.sizeIs > 3) fill(sizes(2).toLong << 20, sizes(3).toLong << 20)
    // The program counts what escapes a task. The pool would print a stack trace for each.
    System.setErr(new PrintStream(OutputStream.nullOutputStream))
    val futures = Iterator.range(0, tasks).takeWhile(_ => failures.isEmpty).flatMap { n =>
      if (n % 20 == 0) tell()
      caught(Future(caught(hold(held, silent.nonEmpty)))(pool))
    }
    val submitted = futures.toVector
    var told = 0
    Settle(tasks) {
      if (inside.get - told >= 10) { told = inside.get; tell() }
      if (failures.isEmpty) inside.get else tasks
    }
    tell()
    println(s"failure=${Option(failures.peek).fold("")(_.toString)}")
    println(s"failed=${failures.size}")
    println(s"complete=${submitted.count(_.isCompleted)}")
    // If the first error was that the system gave no thread, the program submits nothing else.
    println(s"another=${failures.isEmpty && runs(ExecutionContext.global)}")
    System.out.flush()
    Runtime.getRuntime.halt(0) // the tasks still wait
  }

  /** Occupies part of the address space with a waiting thread's stack, so that some whole stacks and a half are left. */
  private def fill(limit: Long, stack: Long): Unit = {
    val used = Files.readAllLines(Path.of("/proc/self/status")).asScala.collectFirst { case UsedSpace(kib) => kib.toLong * 1024 }
    val beyond = Math.floorMod(limit - used.getOrElse(0L) - stack / 2, stack)
    val filler = new Thread(Thread.currentThread.getThreadGroup, () => new CountDownLatch(1).await(), "filler", beyond.max(1 << 20))
    filler.setDaemon(true)
    filler.start()
  }
  private val UsedSpace = "VmSize:\\s+(\\d+) kB".r

  private def runs(pool: ExecutionContext): Boolean = {
    val ran = new CountDownLatch(1)
    pool.execute(() => ran.countDown())
    ran.await(1, TimeUnit.SECONDS)
  }

  private def daemons(threads: Int): ExecutionContext = ExecutionContext.fromExecutor(
    Executors.newFixedThreadPool(
      threads,
      { body =>
        val thread = new Thread(body)
        thread.setDaemon(true)
        thread
      }
    )
  )

  private def hold(bytes: Int, silent: Boolean): Int = {
    val request = new Array[Byte](bytes)
    def waiting(): Int = {
      inside.incrementAndGet()
      new CountDownLatch(1).await()
      request.length
    }
    if (silent) waiting() else blocking(waiting())
  }

  /** Records what `body` throws. It throws it again if a pool is there to handle it. */
  private def caught[T](body: => T): Option[T] =
    try Some(body)
    catch {
      case failure: Throwable =>
        failures.add(failure)
        if (Thread.currentThread.isDaemon) throw failure else None
    }

  private def tell(): Unit = {
    val threads = ExecutionContext.global match {
      case pool: ForkJoinPool => pool.getPoolSize
      case _                  => 0
    }
    println(s"waiting=${inside.get}\nthreads=$threads")
  }
}

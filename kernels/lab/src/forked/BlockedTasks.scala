package lab.forked

import java.io.{OutputStream, PrintStream}
import java.nio.file.{Files, Path}
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, Executors, ForkJoinPool, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import lab.machine.Settle
import lab.process.Program

import scala.concurrent.{blocking, ExecutionContext, Future}
import scala.jdk.CollectionConverters._

/** Hands the global pool Futures that wait inside `blocking`, each holding some memory meanwhile, until one fails or no more of them start.
  * How many spare threads there may be is for `-Dscala.concurrent.context.maxExtraThreads` to say.
  *
  * Arguments: the number of Futures, and how many KiB of heap each holds. `fixed=16` hands them to a fixed pool of 16 threads in place of
  * the global one; `silent` leaves `blocking` out. Where the address space is limited, also the limit and the stack of a thread (`-Xss`),
  * in MiB: then what is left when no further thread fits is half a stack, enough for the JVM itself to go on. Prints, now and then and at
  * the end, `waiting` (how many wait) and `threads` (the global pool's); then `failure` (the first error), `failed` (how many bodies
  * failed), `complete` (how many of their Futures know), and `another`: whether another task of the global pool still runs within a second.
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
    // What escapes a task is counted here; the pool would print a stack trace for each.
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
    // Where the first error was that no thread could be had, nothing more is asked for.
    println(s"another=${failures.isEmpty && runs(ExecutionContext.global)}")
    System.out.flush()
    Runtime.getRuntime.halt(0) // the tasks still wait
  }

  /** Takes away, as the stack of a waiting thread, what the room has beyond some whole stacks and a half. */
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

  /** Notes what `body` throws, and throws it on where a pool is there to see it. */
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

package lab.forked

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.locks.LockSupport
import java.util.concurrent._

import lab.machine.GlobalPool
import lab.process.Program

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** What does a task find in a `ThreadLocal` that another task has set on the same thread and not taken away? Pools of two threads each. Two
  * tasks set it, one on each thread. Others ask:
  *
  *   - `idle`: two, one on each thread, when both threads have gone to sleep meanwhile;
  *   - `busy`: twenty, which lie in the queue before the first two end, so that no thread has to sleep in between.
  *
  * Prints `pool.idle=` and `pool.busy=`, how many of them found something; pools that this JDK hasn't got are left out. The common pool
  * has two threads on every machine only with `-Djava.util.concurrent.ForkJoinPool.common.parallelism=2`, which the caller gives.
  */
object LeftBehind extends Program {
  private val threads = 2
  private val limit = 20.seconds

  def main(arguments: Array[String]): Unit =
    for { (name, since, make) <- pools if since <= Runtime.version.feature; idle <- Seq(true, false) } {
      val pool = make()
      try println(s"$name.${if (idle) "idle" else "busy"}=${found(pool, idle)}")
      finally if (pool ne ForkJoinPool.commonPool) { pool.shutdownNow(); () }
    }

  /** Name, since which JDK, how it is made. */
  private def pools = Seq[(String, Int, () => ExecutorService)](
    ("common", 8, () => ForkJoinPool.commonPool),
    ("own", 8, () => new ForkJoinPool(threads)),
    ("own-clearing", 19, () => new ForkJoinPool(threads, new ClearingThread(_), (_, thrown) => thrown.printStackTrace(), false)),
    ("global", 8, () => GlobalPool(threads)),
    ("fixed", 5, () => Executors.newFixedThreadPool(threads)),
    ("virtual", 21, () => Executors.newVirtualThreadPerTaskExecutor())
  )

  /** A worker that the pool may clear of thread locals, as the common pool's are: by the constructor that there is since JDK 19. */
  private final class ClearingThread(pool: ForkJoinPool) extends ForkJoinWorkerThread(Thread.currentThread.getThreadGroup, pool, false)

  private def found(pool: ExecutorService, idle: Boolean): Int = {
    val (local, workers, seen) = (new ThreadLocal[String], new ConcurrentLinkedQueue[Thread], new AtomicInteger)
    val go = new CountDownLatch(1)
    val set = hand(pool, threads, together = true) { local.set("A"); workers.add(Thread.currentThread); reach(go) }
    reach(set.begun)
    def ask() =
      hand(pool, if (idle) threads else 10 * threads, together = idle)(if (Option(local.get).nonEmpty) { seen.incrementAndGet(); () })
    val asked =
      if (idle) {
        go.countDown()
        reach(set.ended)
        workers.asScala.foreach(sleeps)
        ask()
      } else {
        val queued = ask()
        go.countDown()
        queued
      }
    reach(asked.ended)
    seen.get
  }

  private final class Tasks(count: Int) {
    val begun, ended = new CountDownLatch(count)
  }

  /** @param together whether each of the tasks waits until all have begun: so no thread gets two of them */
  private def hand(pool: ExecutorService, count: Int, together: Boolean)(body: => Unit): Tasks = {
    val tasks = new Tasks(count)
    (1 to count).foreach { _ =>
      pool.execute { () =>
        tasks.begun.countDown()
        if (together) reach(tasks.begun)
        body
        tasks.ended.countDown()
      }
    }
    tasks
  }

  private def reach(latch: CountDownLatch): Unit =
    if (!latch.await(limit.toSeconds, TimeUnit.SECONDS)) throw new IllegalStateException(s"not reached within $limit")

  /** Waits until the thread has nothing to do any more: its task has ended, so what it waits for is the next one. */
  private def sleeps(thread: Thread): Unit = {
    val deadline = limit.fromNow
    val asleep = Set(Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.TERMINATED)
    while (!asleep(thread.getState)) {
      if (deadline.isOverdue()) throw new IllegalStateException(s"${thread.getName} didn't go to sleep within $limit")
      LockSupport.parkNanos(1.milli.toNanos)
    }
  }
}

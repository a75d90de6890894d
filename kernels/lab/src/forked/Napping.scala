package lab.forked

import java.lang.management.ManagementFactory
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.function.BiConsumer

/** For a program of a page's own that starts many of something that naps: how long all of them take, and what they take up. */
object Napping {

  /** Starts `many`, waits until all have ended or, if they nap for long, until no more of them begin; prints what it found and ends the
    * JVM: `millis`, until all had ended; `asleep`, how many were napping when it ended; `threads`, the most platform threads that the JVM
    * had; `resident`, how many KiB more the process has in memory (Linux; 0 elsewhere); `refused`, if the system gave no more threads.
    *
    * @param start starts one, which runs its first argument before it naps and its second one afterwards
    */
  def tell(many: Int, start: BiConsumer[Runnable, Runnable]): Unit = {
    val (begun, left) = (new AtomicInteger, new CountDownLatch(many))
    val (from, before) = (System.nanoTime, ThreadMemory.resident)
    try for (_ <- 1 to many) start.accept(() => { begun.incrementAndGet(); () }, () => left.countDown())
    catch { case refused: OutOfMemoryError => println(s"refused=$refused") }
    var seen = -1
    while (!left.await(500, TimeUnit.MILLISECONDS) && begun.get > seen) seen = begun.get
    println(s"millis=${(System.nanoTime - from) / 1000000}")
    println(s"asleep=${begun.get - (many - left.getCount)}")
    println(s"threads=${ManagementFactory.getThreadMXBean.getPeakThreadCount}")
    System.gc()
    println(s"resident=${ThreadMemory.resident - before}")
    System.exit(0)
  }
}

package lab.forked

import java.lang.management.ManagementFactory
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.function.BiConsumer

/** Measures many naps in a page's program: how long all of them take, and what they use. */
object Napping {

  /** Starts `many` naps, and waits until all have ended. If they nap for long, it waits until no more of them begin. It prints what it
    * found and ends the JVM:
    *   - `millis`: the time until all had ended;
    *   - `asleep`: how many were napping when it ended;
    *   - `threads`: the largest number of platform threads of the JVM;
    *   - `resident`: by how many KiB the process's resident memory grew (Linux; 0 elsewhere);
    *   - `refused`: the error, if the system gave no more threads.
    *
    * @param start starts one nap. It calls its first argument before the nap, and the second one afterwards
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

package lab.forked

import java.util.concurrent.CountDownLatch

import lab.Program

/**
 * Starts as many threads as its argument says, which all just wait, and prints what native memory tracking books for threads before and after, in KiB. Needs
 * `-XX:NativeMemoryTracking=summary`.
 */
object ManyThreads extends Program {

  /** The line for thread stacks in the JVM's report, such as "(stack: reserved=28672KB, committed=1024KB, peak=1024KB)". */
  private val Stacks = "(?s).*stack: reserved=(\\d+)KB, committed=(\\d+)KB.*".r

  def main(arguments: Array[String]): Unit = {
    val threads = arguments(0).toInt
    val (reservedBefore, committedBefore) = stacks()
    val (started, end) = (new CountDownLatch(threads), new CountDownLatch(1))
    (1 to threads).foreach { n =>
      val waiter = new Thread(() => { started.countDown(); end.await() }, s"waiter-$n")
      waiter.setDaemon(true)
      waiter.start()
    }
    started.await()
    val (reservedAfter, committedAfter) = stacks()
    println(s"reserved=${reservedAfter - reservedBefore}")
    println(s"committed=${committedAfter - committedBefore}")
    end.countDown()
  }

  private def stacks(): (Long, Long) = lab.NativeMemory.summary match {
    case Stacks(reserved, committed) => (reserved.toLong, committed.toLong)
    case other => throw new IllegalStateException(s"native memory tracking says nothing about stacks; is it switched on?\n$other")
  }
}

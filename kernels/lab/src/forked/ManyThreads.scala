package lab.forked

import java.util.concurrent.{CountDownLatch, TimeUnit}

import lab.process.Program

/** Starts threads that just wait, and prints by how much reserved and committed stack memory grew, in KiB, by native memory tracking. Its
  * first argument is the number of threads. The second one is the stack size that each thread asks for, in KiB; 0 leaves it to the JVM. It
  * needs `-XX:NativeMemoryTracking=summary`.
  */
object ManyThreads extends Program {

  /** The line for thread stacks in the JVM's report, such as "(stack: reserved=28672KB, committed=1024KB, peak=1024KB)". */
  private val Stacks = "(?s).*stack: reserved=(\\d+)KB, committed=(\\d+)KB.*".r

  def main(arguments: Array[String]): Unit = {
    val (threads, stackBytes) = (arguments(0).toInt, arguments(1).toLong * 1024)
    val (reservedBefore, committedBefore) = stacks()
    val (started, end) = (new CountDownLatch(threads), new CountDownLatch(1))
    (1 to threads).foreach { n =>
      val waiter = new Thread(Thread.currentThread.getThreadGroup, () => { started.countDown(); end.await() }, s"waiter-$n", stackBytes)
      waiter.setDaemon(true)
      waiter.start()
    }
    if (!started.await(30, TimeUnit.SECONDS))
      throw new IllegalStateException(s"${started.getCount} of $threads threads did not begin within 30 seconds")
    val (reservedAfter, committedAfter) = stacks()
    println(s"reserved=${reservedAfter - reservedBefore}")
    println(s"committed=${committedAfter - committedBefore}")
    end.countDown()
  }

  private def stacks(): (Long, Long) = lab.process.NativeMemory.summary match {
    case Stacks(reserved, committed) => (reserved.toLong, committed.toLong)
    case other => throw new IllegalStateException(s"native memory tracking says nothing about stacks; is it switched on?\n$other")
  }
}

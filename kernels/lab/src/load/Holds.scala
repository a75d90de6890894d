package lab.load

import java.lang.management.ManagementFactory.getThreadMXBean
import java.util.concurrent.{CompletableFuture, TimeUnit}

/** Ways to hold the calling thread for a while: what a handler may do to the thread that runs it. Each in a method of its own name, so that
  * a stack trace tells which.
  */
object Holds {
  def sleep(millis: Int): Unit = Thread.sleep(millis.toLong)

  /** Sleeps, and says from when to when, by `System.nanoTime`, and on which thread. */
  def nap(millis: Int): String = {
    val began = System.nanoTime
    sleep(millis)
    s"$began,${System.nanoTime},${Thread.currentThread.getName}"
  }

  /** Waits for a result that comes so much later. */
  def await(millis: Int): Unit = {
    new CompletableFuture[String].completeOnTimeout("", millis.toLong, TimeUnit.MILLISECONDS).get
    ()
  }

  /** Calls a web service on this machine and reads its answer by blocking calls. */
  def socket(port: Int): Unit = {
    val connection = HttpConnection(port)
    try { connection.get("/"); () }
    finally connection.close()
  }

  /** Enters a `synchronized` that another thread leaves so much later. */
  def lock(millis: Int): Unit = {
    @volatile var taken = false
    val lock = new Object
    Thread.ofPlatform.daemon.name("holder").start(() => lock.synchronized { taken = true; Thread.sleep(millis.toLong) })
    while (!taken) () // neither sleeps nor yields: that would be another way
    lock.synchronized(())
  }

  /** Computes for so much CPU time. */
  def compute(millis: Int): Unit = {
    val end = getThreadMXBean.getCurrentThreadCpuTime + millis * 1000000L
    while (getThreadMXBean.getCurrentThreadCpuTime < end) ()
  }
}

package lab.load

import java.lang.management.ManagementFactory.getThreadMXBean
import java.util.concurrent.{CompletableFuture, TimeUnit}

/** Holds up the calling thread, in ways that a handler may choose. Each way has its own method, so that a stack trace shows its name. */
object Holds {

  /** Sleeps for `millis`. */
  def sleep(millis: Int): Unit = Thread.sleep(millis.toLong)

  /** Sleeps, and returns from when to when, by `System.nanoTime`, and on which thread. */
  def nap(millis: Int): String = {
    val began = System.nanoTime
    sleep(millis)
    s"$began,${System.nanoTime},${Thread.currentThread.getName}"
  }

  /** Waits for a result that comes after `millis`. */
  def await(millis: Int): Unit = {
    new CompletableFuture[String].completeOnTimeout("", millis.toLong, TimeUnit.MILLISECONDS).get
    ()
  }

  /** Calls a web service on this machine and reads its answer, by blocking calls. */
  def socket(port: Int): Unit = {
    val connection = HttpConnection(port)
    try { connection.get("/"); () }
    finally connection.close()
  }

  /** Enters a `synchronized` block that another thread leaves after `millis`. */
  def lock(millis: Int): Unit = {
    @volatile var taken = false
    val lock = new Object
    Thread.ofPlatform.daemon.name("holder").start(() => lock.synchronized { taken = true; Thread.sleep(millis.toLong) })
    while (!taken) () // neither sleeps nor yields, because that would be another way
    lock.synchronized(())
  }

  /** Computes for `millis` of CPU time. */
  def compute(millis: Int): Unit = {
    val end = getThreadMXBean.getCurrentThreadCpuTime + millis * 1000000L
    while (getThreadMXBean.getCurrentThreadCpuTime < end) ()
  }
}

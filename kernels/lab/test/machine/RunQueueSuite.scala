package lab.machine

import java.util.concurrent.CountDownLatch

import scala.concurrent.duration._

class RunQueueSuite extends munit.FunSuite {

  /** Returns how many threads waited for a CPU while the given number computed for `time`. */
  private def waiting(computing: Int, time: FiniteDuration): Option[Double] = {
    val (until, looked) = (System.nanoTime + time.toNanos, new CountDownLatch(1))
    val watch = RunQueue.watch()
    val threads = Vector.fill(computing)(new Thread(() => {
      while (System.nanoTime < until) Thread.onSpinWait()
      looked.await() // the threads end only after it was read
    }))
    threads.foreach { thread => thread.setDaemon(true); thread.start() }
    while (System.nanoTime < until) Thread.onSpinWait()
    try watch.waiting
    finally {
      looked.countDown()
      threads.foreach(_.join())
    }
  }

  test("if far more threads compute than there are CPUs, some wait") {
    val crowd = 20 * Runtime.getRuntime.availableProcessors.max(8)
    val found = waiting(crowd, 400.millis)
    assume(found.nonEmpty, "this system doesn't report run queues")
    assert(found.exists(waits => waits > 2 && waits < 1.1 * crowd), s"$found of $crowd")
  }

  test("if nothing computes, hardly any thread waits, and the number isn't negative") {
    val (watch, begin) = (RunQueue.watch(), new CountDownLatch(1))
    begin.await(300, java.util.concurrent.TimeUnit.MILLISECONDS)
    assume(watch.waiting.nonEmpty, "this system doesn't report run queues")
    assert(watch.waiting.exists(waits => waits >= 0 && waits < 8), watch.waiting)
  }
}

package lab.forked

import java.util.concurrent.{CompletableFuture, ConcurrentLinkedQueue, CountDownLatch, ForkJoinPool, TimeUnit}

import lab.Program

/** One `CompletableFuture.runAsync` task waits for another that was started after it, with no executor named. Its argument says how it
  * waits: `latch` (nobody is told) or `join` (the JDK tells its pool). It prints whether they met within two seconds, the parallelism of
  * the common pool, and on which kind of thread the first one ran: `pool` (the common pool's) or `own` (a thread made for it).
  */
object SiblingTasks extends Program {

  def main(arguments: Array[String]): Unit = {
    val (running, opened, met) = (new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1))
    val threads = new ConcurrentLinkedQueue[String]
    val second = new CompletableFuture[CompletableFuture[Void]]
    CompletableFuture.runAsync { () =>
      threads.add(if (ForkJoinPool.commonPool == poolOf(Thread.currentThread)) "pool" else "own")
      running.countDown()
      if (arguments(0) == "join") second.join().join() else opened.await()
      met.countDown()
    }
    if (!running.await(20, TimeUnit.SECONDS)) throw new IllegalStateException("the first task did not begin within 20 seconds")
    second.complete(CompletableFuture.runAsync(() => opened.countDown()))
    val together = met.await(2, TimeUnit.SECONDS)
    println(s"met=$together")
    println(s"parallelism=${ForkJoinPool.getCommonPoolParallelism}")
    println(s"thread=${threads.peek}")
    System.exit(0)
  }

  private def poolOf(thread: Thread): AnyRef = thread match {
    case worker: java.util.concurrent.ForkJoinWorkerThread => worker.getPool
    case _                                                 => thread
  }
}

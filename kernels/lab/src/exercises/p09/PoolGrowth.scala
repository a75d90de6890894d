package lab.exercises

import java.util.concurrent._
import java.util.concurrent.atomic.AtomicInteger

/** A `ThreadPoolExecutor`, and the number of tasks that are submitted to it at the same moment.
  *
  * @param places the capacity of its queue; 0 if it has none
  */
final case class Rush(core: Int, most: Int, places: Int, concurrent: Int) {
  override def toString: String = s"core $core, most $most, $places places, $concurrent tasks together"
}

/** The result of a [[Rush]]: the number of threads that were started, and of tasks that were rejected. */
final case class Grown(threads: Int, refused: Int) {
  override def toString: String = s"$threads threads, $refused rejected"
}

/** Say how a `ThreadPoolExecutor` grows. Each answer is compared with a real pool, whose tasks end only after the check has looked at it.
  */
object PoolGrowth extends Cases[Rush => Grown]("09-pool-growth") {
  trial("as long as there are fewer than `core` threads, each task starts one")(
    "No task waits in the queue yet. What does the pool do with a task while it has fewer threads than its core size?"
  ) { grown =>
    val core = some(4, 8)
    against(Rush(core, core + some(3, 6), some(20, 40), core - some(1, 3)), grown)
  }
  trial("then tasks wait, and no thread is started for them")(
    "There are more tasks than core threads, and the queue has room. Which comes first, the queue or an extra thread?",
    "`ThreadPoolExecutor.execute` offers the task to the queue first. As long as the queue takes it, the pool keeps its `core` threads."
  ) { grown =>
    val (core, places) = (some(3, 6), some(20, 40))
    against(Rush(core, core + some(3, 6), places, core + some(5, places)), grown)
  }
  trial("only a full queue makes it grow")(
    "The queue is full. Each task that comes now starts a thread. How many tasks come now?",
    "Those tasks are neither on a core thread nor in the queue: `concurrent - core - places`. So there are `concurrent - places` threads."
  ) { grown =>
    val (core, more, places) = (some(3, 6), some(4, 7), some(5, 20))
    against(Rush(core, core + more, places, core + places + some(1, more - 1)), grown)
  }
  trial("beyond `most` threads and a full queue, tasks are rejected")(
    "`most` threads are busy, and the queue is full. What happens to the next task?",
    "The default policy is `AbortPolicy`, which throws. It rejects the tasks that neither the `most` threads nor the `places` take."
  ) { grown =>
    val (core, more, places) = (some(3, 6), some(2, 5), some(5, 20))
    against(Rush(core, core + more, places, core + more + places + some(1, 9)), grown)
  }
  trial("a queue without places, and a pool that can't grow")(
    "A queue without places is always full. If `most` equals `core`, the pool never starts an extra thread.",
    "The same two formulas apply, with `max` and `min`: never fewer than `core` threads if there is work for them, and never more than `most`."
  ) { grown =>
    val core = some(3, 6)
    firstWrong(Seq(Rush(core, core + 4, 0, core + some(1, 3)), Rush(core, core, some(5, 9), core + some(10, 20))).map(against(_, grown)))
  }

  private def against(rush: Rush, answer: Rush => Grown): Seen = Seen(real(rush), answer(rush)).of(s"$rush")

  private def real(rush: Rush): Grown = {
    val (refused, end) = (new AtomicInteger, new CountDownLatch(1))
    val queue = if (rush.places == 0) new SynchronousQueue[Runnable] else new LinkedBlockingQueue[Runnable](rush.places)
    val pool = new ThreadPoolExecutor(rush.core, rush.most, 1, TimeUnit.MINUTES, queue, daemons)
    try {
      (1 to rush.concurrent).foreach { _ =>
        try pool.execute(() => end.await())
        catch { case _: RejectedExecutionException => refused.incrementAndGet() }
      }
      Grown(pool.getPoolSize, refused.get)
    } finally { pool.shutdownNow(); () }
  }
}

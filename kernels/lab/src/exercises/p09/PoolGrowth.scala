package lab.exercises

import java.util.concurrent._
import java.util.concurrent.atomic.AtomicInteger

/** A `ThreadPoolExecutor`, and how many tasks come to it at once.
  *
  * @param places in its queue; 0: it has none
  */
final case class Rush(core: Int, most: Int, places: Int, atOnce: Int) {
  override def toString: String = s"core $core, most $most, $places places, $atOnce tasks at once"
}

/** What becomes of a [[Rush]]: the threads that were started, and the tasks that were refused. */
final case class Grown(threads: Int, refused: Int) {
  override def toString: String = s"$threads threads, $refused refused"
}

/** Say how a `ThreadPoolExecutor` grows. Each answer is held against a real pool, whose tasks don't end before it has been looked at. */
object PoolGrowth extends Cases[Rush => Grown]("09-pool-growth") {
  trial("as long as there are fewer than `core` threads, each task starts one")(
    "Nobody waits in the queue yet. What does the pool do with a task while it has fewer threads than its core size?"
  ) { grown =>
    val core = some(4, 8)
    against(Rush(core, core + some(3, 6), some(20, 40), core - some(1, 3)), grown)
  }
  trial("then tasks wait, and no thread is started for them")(
    "There are more tasks than core threads, and the queue has room. Which comes first, the queue or a further thread?",
    "`ThreadPoolExecutor.execute` offers the task to the queue first. As long as the queue takes it, the pool keeps its `core` threads."
  ) { grown =>
    val (core, places) = (some(3, 6), some(20, 40))
    against(Rush(core, core + some(3, 6), places, core + some(5, places)), grown)
  }
  trial("only a full queue makes it grow")(
    "The queue is full. Each task that comes now starts a thread: how many come now?",
    "Those that are neither on a core thread nor in the queue: `atOnce - core - places`. So there are `atOnce - places` threads."
  ) { grown =>
    val (core, more, places) = (some(3, 6), some(4, 7), some(5, 20))
    against(Rush(core, core + more, places, core + places + some(1, more - 1)), grown)
  }
  trial("beyond `most` threads and a full queue, tasks are refused")(
    "`most` threads are busy and the queue is full. What happens to the next task?",
    "The default policy is `AbortPolicy`: it throws. So many come that `most` threads and `places` places don't take: the rest."
  ) { grown =>
    val (core, more, places) = (some(3, 6), some(2, 5), some(5, 20))
    against(Rush(core, core + more, places, core + more + places + some(1, 9)), grown)
  }
  trial("a queue without places, and a pool that can't grow")(
    "With no place to wait, a full queue is there from the beginning. With `most` equal to `core`, a further thread never is.",
    "The same two formulas hold; `max` and `min` do the rest: never fewer than `core` threads if there is work for them, never more than `most`."
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
      (1 to rush.atOnce).foreach { _ =>
        try pool.execute(() => end.await())
        catch { case _: RejectedExecutionException => refused.incrementAndGet() }
      }
      Grown(pool.getPoolSize, refused.get)
    } finally { pool.shutdownNow(); () }
  }
}

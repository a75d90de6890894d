package lab.exercises

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{
  CountDownLatch,
  LinkedBlockingQueue,
  RejectedExecutionException,
  SynchronousQueue,
  ThreadPoolExecutor,
  TimeUnit
}

import lab.page.Exercise
import lab.page.Exercise._

import scala.util.Random

/** Say how a `ThreadPoolExecutor` grows: the answer maps its three numbers, and how many tasks come at once, to the threads that it starts
  * and the tasks that it refuses. Each answer is held against a real pool, whose tasks don't end before it has been looked at.
  */
object PoolGrowth extends Exercise[(Int, Int, Int, Int) => (Int, Int)]("09-pool-growth") {

  def trials: Trials = Seq(
    Trial(
      "as long as there are fewer than `core` threads, each task starts one",
      "Nobody waits in the queue yet. What does the pool do with a task while it has fewer threads than its core size?"
    )(real(() => { val core = some(4, 8); (core, core + some(3, 6), some(20, 40), core - some(1, 3)) })),
    Trial(
      "then tasks wait, and no thread is started for them",
      "There are more tasks than core threads, and the queue has room. Which comes first, the queue or a further thread?",
      "`ThreadPoolExecutor.execute` offers the task to the queue first. As long as the queue takes it, the pool keeps its `core` threads."
    )(real(() => { val core = some(3, 6); val places = some(20, 40); (core, core + some(3, 6), places, core + some(5, places)) })),
    Trial(
      "only a full queue makes it grow",
      "The queue is full. Each task that comes now starts a thread: how many come now?",
      "Those that are neither on a core thread nor in the queue: `atOnce - core - places`. So there are `atOnce - places` threads."
    )(real { () =>
      val (core, more, places) = (some(3, 6), some(4, 7), some(5, 20))
      (core, core + more, places, core + places + some(1, more - 1))
    }),
    Trial(
      "beyond `most` threads and a full queue, tasks are refused",
      "`most` threads are busy and the queue is full. What happens to the next task?",
      "The default policy is `AbortPolicy`: it throws. So many come that `most` threads and `places` places don't take: the rest."
    )(real { () =>
      val (core, more, places) = (some(3, 6), some(2, 5), some(5, 20))
      (core, core + more, places, core + more + places + some(1, 9))
    }),
    Trial(
      "a queue without places, and a pool that can't grow",
      "With no place to wait, a full queue is there from the beginning. With `most` equal to `core`, a further thread never is.",
      "The same two formulas hold; `max` and `min` do the rest: never fewer than `core` threads if there is work for them, never more than `most`."
    ) { answer =>
      val core = some(3, 6)
      val both = Seq((core, core + 4, 0, core + some(1, 3)), (core, core, some(5, 9), core + some(10, 20)))
      both.map(one => against(one, answer)).find(!_.fine).getOrElse(against(both.head, answer))
    }
  )

  private type Case = (Int, Int, Int, Int)

  private def real(draw: () => Case)(answer: (Int, Int, Int, Int) => (Int, Int)): Seen = against(draw(), answer)

  private def against(one: Case, answer: (Int, Int, Int, Int) => (Int, Int)): Seen = {
    val (core, most, places, atOnce) = one
    def words(threads: Int, refused: Int): String = s"$threads threads, $refused refused"
    val ((threads, refused), (said, saidRefused)) = (tried(one), answer(core, most, places, atOnce))
    Seen(words(threads, refused), words(said, saidRefused)).of(s"core $core, most $most, $places places, $atOnce tasks at once")
  }

  /** What a real pool does. */
  private def tried(one: Case): (Int, Int) = {
    val (core, most, places, atOnce) = one
    val (refused, end) = (new AtomicInteger, new CountDownLatch(1))
    val queue = if (places == 0) new SynchronousQueue[Runnable] else new LinkedBlockingQueue[Runnable](places)
    val pool = new ThreadPoolExecutor(core, most, 1, TimeUnit.MINUTES, queue, threads)
    try {
      (1 to atOnce).foreach { _ =>
        try pool.execute(() => end.await())
        catch { case _: RejectedExecutionException => refused.incrementAndGet() }
      }
      (pool.getPoolSize, refused.get)
    } finally {
      pool.shutdownNow()
      ()
    }
  }

  private def some(from: Int, to: Int): Int = from + Random.nextInt(to - from + 1)
}

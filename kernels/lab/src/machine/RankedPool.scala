package lab.machine

import java.util.concurrent.{LinkedBlockingQueue, PriorityBlockingQueue, ThreadPoolExecutor, TimeUnit}

import scala.concurrent.ExecutionContext

/** A `ThreadPoolExecutor` with a fixed number of threads and one queue, which is ordered by arrival or by rank. Its threads are daemons
  * called `name-1`, `name-2`, …
  *
  * {{{
  * Using.resource(new RankedPool("shared", 1, byRank = true)) { pool =>
  *   val (requests, reports) = (pool.rank(0), pool.rank(1))   // two contexts on the same thread
  * }
  * }}}
  *
  * @param byRank whether the waiting task with the lowest rank is next. Among equal ranks, any one may be next
  *               (`java.util.concurrent.PriorityBlockingQueue` promises no order). A running task is never interrupted.
  * @throws java.lang.IllegalArgumentException if there is no thread
  */
final class RankedPool(name: String, threads: Int, byRank: Boolean = false)
    extends ThreadPoolExecutor(
      threads,
      threads,
      1,
      TimeUnit.SECONDS,
      if (byRank) new PriorityBlockingQueue[Runnable](64, RankedPool.byRank) else new LinkedBlockingQueue[Runnable],
      Thread.ofPlatform.daemon.name(s"$name-", 1).factory
    ) {

  /** Returns a context that submits tasks of this rank to the pool. */
  def rank(rank: Int): ExecutionContext = ExecutionContext.fromExecutor(task => execute(new RankedPool.Ranked(rank, task)))
}

private object RankedPool {
  private final class Ranked(val rank: Int, task: Runnable) extends Runnable {
    def run(): Unit = task.run()
  }

  /** Orders tasks by rank. A task that was submitted without a rank is among the first. */
  private val byRank: Ordering[Runnable] = Ordering.by {
    case ranked: Ranked => ranked.rank
    case _              => Int.MinValue
  }
}

package lab.machine

import java.util.concurrent.ForkJoinPool

import scala.concurrent.{ExecutionContext, ExecutionContextExecutorService}
import scala.concurrent.duration._

/** Creates fork-join pools whose threads are those of Scala's global pool, so they support `blocking`. It calls the JDK's longest
  * constructor, for parameters that Scala's own pool leaves at their defaults.
  */
object ListeningPool {

  /** Creates a pool whose threads are daemons. Closing the pool ends them.
    *
    * @param threads         its parallelism
    * @param minimumRunnable how many threads must not be blocked; otherwise the pool adds threads (the JDK's default: 1, "liveness")
    * @param keepAlive       how long an idle thread stays if the pool is quiet (the JDK's default: one minute)
    * @param maxExtraThreads how many tasks inside `blocking` may simultaneously get an extra thread (Scala's default: 256)
    * @throws java.lang.IllegalArgumentException if `threads` is less than 1, `minimumRunnable` or `maxExtraThreads` less than 0, or
    *                                            `keepAlive` isn't above 0
    */
  def apply(
      threads: Int,
      minimumRunnable: Int = 1,
      keepAlive: FiniteDuration = 1.minute,
      maxExtraThreads: Int = 256
  ): ForkJoinPool with ExecutionContextExecutorService = {
    if (minimumRunnable < 0 || keepAlive <= Duration.Zero)
      throw new IllegalArgumentException(s"expected 0 or more runnable threads and a time above 0, not $minimumRunnable and $keepAlive")
    // Only its factory is needed. A pool that never got a task has no thread.
    val global = GlobalPool(threads, maxExtraThreads)
    val listening = global.getFactory
    global.close()
    new Listening(threads, listening, minimumRunnable, keepAlive)
  }

  private final class Listening(
      threads: Int,
      factory: ForkJoinPool.ForkJoinWorkerThreadFactory,
      minimumRunnable: Int,
      keepAlive: FiniteDuration
  ) extends ForkJoinPool(
        threads,
        factory,
        (_, failure) => ExecutionContext.defaultReporter(failure),
        true, // first in, first out, as the global pool
        0, // ignored by the JDK
        32767, // as many threads as a pool may have, as in the constructors with fewer parameters
        minimumRunnable,
        null, // no rule beyond that number
        keepAlive.toNanos,
        NANOSECONDS
      )
      with ExecutionContextExecutorService {
    def reportFailure(cause: Throwable): Unit = ExecutionContext.defaultReporter(cause)
  }
}

package lab.machine

import java.util.concurrent.ForkJoinPool

import scala.concurrent.{ExecutionContext, ExecutionContextExecutorService}
import scala.concurrent.duration._

/** A fork-join pool whose threads are those of Scala's global pool, and so hear `blocking`, made by the JDK's longest constructor: for what
  * Scala's own pool leaves at its default.
  */
object ListeningPool {

  /** A new one. Its threads are daemons; closing it ends them.
    *
    * @param threads         its parallelism
    * @param minimumRunnable how many threads are to be left that don't block (the JDK's default: 1, "liveness")
    * @param keepAlive       after so long without work an idle thread of a quiet pool ends (the JDK's default: one minute)
    * @param maxExtraThreads how many of its tasks may be inside `blocking` at once and be heard (Scala's default: 256)
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
      throw new IllegalArgumentException(s"0 runnable threads and a time above 0 are the least, not $minimumRunnable and $keepAlive")
    // Only its factory is wanted; a pool that never got a task has no thread.
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
        32767, // as many threads as a pool may have: the constructors with fewer parameters say so, too
        minimumRunnable,
        null, // no rule for more
        keepAlive.toNanos,
        NANOSECONDS
      )
      with ExecutionContextExecutorService {
    def reportFailure(cause: Throwable): Unit = ExecutionContext.defaultReporter(cause)
  }
}

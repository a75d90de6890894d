package lab.machine

import java.util.concurrent.ForkJoinPool

import scala.concurrent.{ExecutionContext, ExecutionContextExecutorService}

/** Pools that are made exactly as `ExecutionContext.global` is, by the same code of the Scala library, but are the cell's own: of a chosen
  * size, without guests, and to be closed.
  */
object GlobalPool {

  /** A new one. Threads that it starts are daemons, and hear `blocking`.
    *
    * It comes from `ExecutionContext.fromExecutorService(null)`, which takes its sizes from system properties; they are set for that moment
    * only.
    *
    * @param threads         its parallelism: `scala.concurrent.context.numThreads`
    * @param maxExtraThreads how many of its tasks may be inside `blocking` at once and be heard (Scala's default: 256)
    * @throws java.lang.IllegalArgumentException if `threads` is less than 1 or `maxExtraThreads` less than 0
    */
  def apply(
      threads: Int = Pools.scalaGlobal(Runtime.getRuntime.availableProcessors),
      maxExtraThreads: Int = 256
  ): ForkJoinPool with ExecutionContextExecutorService = synchronized {
    require(threads >= 1, s"a pool has at least 1 thread, not $threads")
    require(maxExtraThreads >= 0, s"there can't be $maxExtraThreads extra threads; 0 is the least")
    val settings = Map("minThreads" -> 1, "numThreads" -> threads, "maxThreads" -> threads, "maxExtraThreads" -> maxExtraThreads)
    val named = settings.map { case (name, value) => s"scala.concurrent.context.$name" -> value.toString }
    val before = named.keys.map(name => name -> sys.props.get(name))
    named.foreach { case (name, value) => sys.props(name) = value }
    try
      ExecutionContext.fromExecutorService(null) match {
        case pool: ForkJoinPool with ExecutionContextExecutorService => pool
        case other =>
          throw new IllegalStateException(s"Scala's default pool was a ForkJoinPool up to 2.13.18, here it is a ${other.getClass.getName}")
      }
    finally
      before.foreach {
        case (name, Some(value)) => sys.props(name) = value
        case (name, None)        => sys.props -= name
      }
  }
}

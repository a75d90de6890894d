package lab.machine

import java.util.concurrent.ForkJoinPool

import scala.concurrent.{ExecutionContext, ExecutionContextExecutorService}

/** Creates pools exactly as `ExecutionContext.global` is created, by the same code of the Scala library. But they belong to the cell: it
  * chooses their size, nobody else uses them, and it closes them.
  */
object GlobalPool {

  /** Creates a pool whose threads are daemons and support `blocking`.
    *
    * It calls `ExecutionContext.fromExecutorService(null)`, which reads its sizes from system properties. They are set only
    * for that moment.
    *
    * @param threads         its parallelism: `scala.concurrent.context.numThreads`
    * @param maxExtraThreads how many tasks inside `blocking` may simultaneously get an extra thread (Scala's default: 256)
    * @throws java.lang.IllegalArgumentException if `threads` is less than 1 or `maxExtraThreads` less than 0
    */
  def apply(
      threads: Int = Pools.scalaGlobal(Runtime.getRuntime.availableProcessors),
      maxExtraThreads: Int = 256
  ): ForkJoinPool with ExecutionContextExecutorService = synchronized {
    require(threads >= 1, s"a pool has at least 1 thread, not $threads")
    require(maxExtraThreads >= 0, s"maxExtraThreads can't be $maxExtraThreads; 0 is the least")
    val settings = Map("minThreads" -> 1, "numThreads" -> threads, "maxThreads" -> threads, "maxExtraThreads" -> maxExtraThreads)
    val named = settings.map { case (name, value) => s"scala.concurrent.context.$name" -> value.toString }
    val before = named.keys.map(name => name -> sys.props.get(name))
    named.foreach { case (name, value) => sys.props(name) = value }
    try
      ExecutionContext.fromExecutorService(null) match {
        case pool: ForkJoinPool with ExecutionContextExecutorService => pool
        case other =>
          throw new IllegalStateException(s"Scala's default pool was a ForkJoinPool up to 2.13.18, but it is a ${other.getClass.getName}")
      }
    finally
      before.foreach {
        case (name, Some(value)) => sys.props(name) = value
        case (name, None)        => sys.props -= name
      }
  }
}

package lab.machine

import java.util.concurrent.ForkJoinPool

import lab.process.Beans

import scala.concurrent.ExecutionContext
import scala.util.Try

/** The default size of a pool.
  *
  * @param threads how many threads it starts by itself, at most
  * @param rule    the formula, in words
  * @param source  the class or file with the formula
  * @param live    what the running pool itself reports; `None` if it isn't in this JVM or can't be asked
  */
final case class PoolSize(name: String, threads: Int, rule: String, source: String, live: Option[Int]) {

  /** Returns the size to use: what the running pool reports, or else the formula's result. */
  def effective: Int = live.getOrElse(threads)
}

/** The sizes of the course's pools as functions of the number of CPUs, so that a page can compute what it expects on any machine. They are
  * the documented defaults. If a system property or a configuration changes a pool, only `PoolSize.live` shows it. It shows nothing of
  * libraries that aren't loaded.
  */
object Pools {

  /** Returns the parallelism of `ForkJoinPool`'s common pool in JDK 25, by the private constructor `ForkJoinPool(byte)`. Since JDK 25 it
    * has at least one worker.
    */
  def forkJoinCommon(cpus: Int): Int = (cpus - 1).max(1)

  /** Returns the parallelism of `ExecutionContext.global` in Scala 2.12 and 2.13, by `ExecutionContextImpl.createDefaultExecutorService`:
    * min 1, num x1, max x1.
    */
  def scalaGlobal(cpus: Int): Int = cpus

  /** Returns the number of carrier threads since JDK 21, by `VirtualThread.createDefaultScheduler`. */
  def virtualThreadCarriers(cpus: Int): Int = cpus

  /** Returns the size of kotlinx.coroutines' `Dispatchers.Default`, by `CORE_POOL_SIZE` in `scheduling/Tasks.kt`. */
  def kotlinDefault(cpus: Int): Int = cpus.max(2)

  /** Returns the limit of kotlinx.coroutines' `Dispatchers.IO`, which shares its threads with `Default`, by `scheduling/Dispatcher.kt`. */
  def kotlinIo(cpus: Int): Int = cpus.max(64)

  /** Returns the size of cats-effect 3's compute pool, by `IORuntimeCompanionPlatform`. */
  def catsEffect(cpus: Int): Int = cpus.max(2)

  /** Returns the number of Reactor Netty's event loops, by `LoopResources.DEFAULT_IO_WORKER_COUNT`. */
  def reactorNetty(cpus: Int): Int = cpus.max(4)

  /** Returns the limit of Reactor's `Schedulers.boundedElastic`, by `Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE`. */
  def boundedElastic(cpus: Int): Int = 10 * cpus

  /** Returns the parallelism of Pekko's default dispatcher, by `fork-join-executor` in `reference.conf`: min 8, factor 1.0, max 64. */
  def pekko(cpus: Int): Int = cpus.max(8).min(64)

  /** Returns every pool of the course on a machine with `cpus` CPUs. Pools of this JVM also report their real size. */
  def all(cpus: Int): Vector[PoolSize] = {
    require(cpus >= 1, s"a machine has at least 1 CPU, not $cpus")
    Vector(
      PoolSize("Scala ExecutionContext.global", scalaGlobal(cpus), "CPUs", "scala.concurrent.impl.ExecutionContextImpl", liveGlobal),
      PoolSize(
        "ForkJoinPool.commonPool",
        forkJoinCommon(cpus),
        "CPUs - 1, at least 1",
        "java.util.concurrent.ForkJoinPool",
        Some(ForkJoinPool.getCommonPoolParallelism)
      ),
      PoolSize("virtual threads' carriers", virtualThreadCarriers(cpus), "CPUs", "java.lang.VirtualThread", liveCarriers),
      PoolSize("Kotlin Dispatchers.Default", kotlinDefault(cpus), "CPUs, at least 2", "kotlinx.coroutines.scheduling", None),
      PoolSize("Kotlin Dispatchers.IO", kotlinIo(cpus), "CPUs, at least 64", "kotlinx.coroutines.scheduling", None),
      PoolSize("cats-effect compute", catsEffect(cpus), "CPUs, at least 2", "cats.effect.unsafe.IORuntime", None),
      PoolSize("Reactor Netty workers", reactorNetty(cpus), "CPUs, at least 4", "reactor.netty.resources.LoopResources", None),
      PoolSize("Reactor boundedElastic", boundedElastic(cpus), "10 x CPUs", "reactor.core.scheduler.Schedulers", None),
      PoolSize("Pekko default dispatcher", pekko(cpus), "CPUs, 8 to 64", "pekko reference.conf", None)
    )
  }

  /** Returns how many tasks of the global pool that are inside `blocking` may simultaneously get an extra thread (Scala 2.13: 256 by
    * default).
    */
  def maxExtraThreads: Int =
    sys.props.get("scala.concurrent.context.maxExtraThreads").flatMap(text => Try(text.toInt).toOption).getOrElse(256)

  private def liveGlobal: Option[Int] = ExecutionContext.global match {
    case pool: ForkJoinPool => Some(pool.getParallelism)
    case _                  => None
  }

  /** Asks JDK 24 and later for the scheduler's parallelism. They publish it as an MBean, which is found by name, so older JDKs can still
    * run this class.
    */
  private def liveCarriers: Option[Int] = Beans.attribute("jdk.management:type=VirtualThreadScheduler", "Parallelism").collect {
    case parallelism: Integer if parallelism.intValue > 0 => parallelism.intValue
  }
}

package lab.machine

import java.util.concurrent.ForkJoinPool

import lab.process.Beans

import scala.concurrent.ExecutionContext
import scala.util.Try

/** The default size of one pool on a machine with so many CPUs.
  *
  * @param threads how many threads it starts by itself (for a pool with a ceiling: at most)
  * @param rule    the formula, in words
  * @param source  the class or file that holds the formula
  * @param live    what the running pool itself reports, where it is in this JVM and can be asked
  */
final case class PoolSize(name: String, threads: Int, rule: String, source: String, live: Option[Int]) {

  /** What to believe: the running pool where it can be asked, else the formula. */
  def effective: Int = live.getOrElse(threads)
}

/** The formulas behind the pools that the course meets, as functions of the number of CPUs, so that a page can compute what it expects
  * on any machine. They are the documented defaults: a system property or configuration that changes a pool shows up in `PoolSize.live`
  * alone, or not at all for a library that isn't loaded.
  */
object Pools {

  /** `ForkJoinPool`'s common pool, JDK 25: the private constructor `ForkJoinPool(byte)`. Since JDK 25 at least one worker, whatever the
    * CPUs.
    */
  def forkJoinCommon(cpus: Int): Int = (cpus - 1).max(1)

  /** `ExecutionContext.global`: `ExecutionContextImpl.createDefaultExecutorService`, Scala 2.12 and 2.13: min 1, num x1, max x1. */
  def scalaGlobal(cpus: Int): Int = cpus

  /** Carrier threads of virtual threads: `VirtualThread.createDefaultScheduler`, JDK 21 and later. */
  def virtualThreadCarriers(cpus: Int): Int = cpus

  /** kotlinx.coroutines `Dispatchers.Default`: `CORE_POOL_SIZE` in `scheduling/Tasks.kt`. */
  def kotlinDefault(cpus: Int): Int = cpus.max(2)

  /** kotlinx.coroutines `Dispatchers.IO`, which borrows from the same threads: `scheduling/Dispatcher.kt`. */
  def kotlinIo(cpus: Int): Int = cpus.max(64)

  /** cats-effect 3 compute pool: `IORuntimeCompanionPlatform`. */
  def catsEffect(cpus: Int): Int = cpus.max(2)

  /** Reactor Netty event loop: `LoopResources.DEFAULT_IO_WORKER_COUNT`. */
  def reactorNetty(cpus: Int): Int = cpus.max(4)

  /** Reactor `Schedulers.boundedElastic`: `Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE`. */
  def boundedElastic(cpus: Int): Int = 10 * cpus

  /** Pekko's default dispatcher: `fork-join-executor` in `reference.conf`: min 8, factor 1.0, max 64. */
  def pekko(cpus: Int): Int = cpus.max(8).min(64)

  /** Every pool the course meets, on a machine with `cpus` CPUs; those of this JVM are also asked for their real size. */
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

  /** How many tasks of the global pool may sit inside `blocking` at once and still get a spare thread (Scala 2.13: 256 by default). */
  def maxExtraThreads: Int =
    sys.props.get("scala.concurrent.context.maxExtraThreads").flatMap(text => Try(text.toInt).toOption).getOrElse(256)

  private def liveGlobal: Option[Int] = ExecutionContext.global match {
    case pool: ForkJoinPool => Some(pool.getParallelism)
    case _                  => None
  }

  /** JDK 24 and later publish the scheduler as an MBean; it is asked by name so that older JDKs still run this class. */
  private def liveCarriers: Option[Int] = Beans.attribute("jdk.management:type=VirtualThreadScheduler", "Parallelism").collect {
    case parallelism: Integer if parallelism.intValue > 0 => parallelism.intValue
  }
}

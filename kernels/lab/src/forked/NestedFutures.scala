package lab.forked

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import lab.process.Program

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.Duration

/** A task on the global pool starts two more, each of which waits for the other: can they meet? It prints `met=2` if both were running at
  * once, else `met=1` (the one that began second found the other already gone).
  *
  * Compiled once and run against several Scala libraries, so that the library is all that differs. It therefore touches only what has the
  * same binary signature in all of them: no collection, no string interpolation.
  */
object NestedFutures extends Program {
  private val patience = 2000L

  def main(arguments: Array[String]): Unit = {
    implicit val global: ExecutionContext = ExecutionContext.global
    val both = new CountDownLatch(2)
    val met = new AtomicInteger
    def meet(): Unit = {
      both.countDown()
      if (both.await(patience, TimeUnit.MILLISECONDS)) met.incrementAndGet()
      ()
    }
    val outer = Future {
      val first = Future(meet())
      val second = Future(meet())
      first.flatMap(_ => second)
    }
    val limit = Duration(20, TimeUnit.SECONDS)
    Await.result(Await.result(outer, limit), limit)
    println("version=".concat(scala.util.Properties.versionNumberString))
    println("met=".concat(met.get.toString))
  }
}

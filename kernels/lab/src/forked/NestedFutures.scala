package lab.forked

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import lab.process.Program

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.Duration

/** Shows whether two tasks can meet: a task on the global pool starts two more, each of which waits for the other. It prints `met=2` if
  * both were running simultaneously, or else `met=1` (the first one was over when the second one began).
  *
  * It is compiled once and runs with several Scala libraries, so only the library differs. It therefore only uses what has the same binary
  * signature in all of them: no collections and no string interpolation.
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

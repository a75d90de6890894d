package lab.forked

import java.util.concurrent.TimeUnit

import lab.process.Program

import scala.concurrent.duration.Duration
import scala.concurrent.{blocking, Await, ExecutionContext, Future}

/** Prints the methods on the stack inside `blocking`, on a thread of the global pool, innermost first, one per line.
  *
  * It is compiled once and runs with several Scala libraries, so it only uses what has the same binary signature in all of them.
  */
object BlockingStack extends Program {
  def main(arguments: Array[String]): Unit = {
    val inside = Future(blocking((new Throwable).getStackTrace))(ExecutionContext.global)
    val frames = Await.result(inside, Duration(20, TimeUnit.SECONDS))
    var at = 0
    while (at < frames.length) {
      println(frames(at).getMethodName)
      at += 1
    }
  }
}

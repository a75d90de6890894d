package lab.forked

import java.util.concurrent.TimeUnit

import lab.process.Program

import scala.concurrent.duration.Duration
import scala.concurrent.{Await, ExecutionContext, Future}

/** Throws one exception in one function that is reached in five ways. It prints every frame of every stack trace, innermost first, as
  * `way=class.method(file:line)`.
  *
  * It is compiled once and runs with several Scala libraries. So it only uses what has the same binary signature in all of them (no
  * collections, no string interpolation), and looks up `parasitic` by name, which 2.12 doesn't have.
  */
object StackTraces extends Program {

  private def parse(text: String): Int = throw new IllegalStateException("on purpose")
  private def price(text: String): Int = parse(text) * 2

  private def order(price: String => Unit): Unit = price("free")
  private def request(way: String)(price: String => Unit): Unit = {
    val thread = if (way == "virtual thread") Thread.ofVirtual().unstarted(() => order(price)) else new Thread(() => order(price))
    thread.start()
    thread.join()
  }

  def main(arguments: Array[String]): Unit = {
    plain("plain call")
    plain("virtual thread")
    inFuture("direct", Direct)
    try inFuture("parasitic", parasitic)
    catch { case _: ClassNotFoundException => () }
    inFuture("global", ExecutionContext.global)
  }

  private def plain(way: String): Unit = request(way) { text =>
    try { price(text); () }
    catch { case thrown: IllegalStateException => tell(way, thrown) }
  }

  /** Runs the step on a Future that is already complete, as in the article. */
  private def inFuture(way: String, context: ExecutionContext): Unit = request(way) { text =>
    val priced = Future.successful(text).map(price)(context)
    val thrown = Await.ready(priced, Duration(20, TimeUnit.SECONDS)).value.get.failed.get
    tell(way, thrown)
  }

  private def parasitic: ExecutionContext =
    Class.forName("scala.concurrent.ExecutionContext$parasitic$").getField("MODULE$").get(null).asInstanceOf[ExecutionContext]

  private def tell(way: String, thrown: Throwable): Unit = {
    val frames = thrown.getStackTrace
    var at = 0
    while (at < frames.length) {
      val frame = frames(at)
      val place = if (frame.getFileName == null) "unknown" else frame.getFileName.concat(":").concat(Integer.toString(frame.getLineNumber))
      println(way.concat("=").concat(frame.getClassName).concat(".").concat(frame.getMethodName).concat("(").concat(place).concat(")"))
      at += 1
    }
  }
}

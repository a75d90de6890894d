package lab.forked

import java.util.concurrent.atomic.AtomicInteger

import lab.process.Program

import scala.concurrent.{ExecutionContext, Future, Promise}

/** Shows how deep a Future that starts a Future, which starts a Future, and so on, gets on a stack of known size. It needs a separate JVM,
  * because a stack overflow in a class's initialiser makes that class unusable.
  *
  * Arguments: the number of steps, then stack sizes in KiB. It prints, for each context and size, how many steps began
  * (`direct.512.steps=`), how the thread that completed the first Future ended (`.thrown=`) and the result of the last Future (`.future=`).
  */
object Recursion extends Program {

  def main(arguments: Array[String]): Unit = {
    val steps = arguments.head.toInt
    for ((name, context) <- Seq("direct" -> Direct, "parasitic" -> ExecutionContext.parasitic); stack <- arguments.tail)
      run(s"$name.$stack", steps, stack.toLong * 1024)(context)
  }

  private def run(name: String, steps: Int, stackBytes: Long)(implicit context: ExecutionContext): Unit = {
    val began = new AtomicInteger
    def countDown(n: Int): Future[Int] = {
      began.incrementAndGet()
      if (n == 0) Future.successful(0) else Future.successful(n - 1).flatMap(countDown)
    }
    val first = Promise[Int]()
    val last = first.future.flatMap(countDown)
    @volatile var thrown = "nothing"
    val thread = new Thread(
      Thread.currentThread.getThreadGroup,
      () =>
        try { first.success(steps); () }
        catch { case error: StackOverflowError => thrown = error.getClass.getSimpleName },
      name,
      stackBytes
    )
    thread.start()
    thread.join()
    println(s"$name.steps=${began.get}")
    println(s"$name.thrown=$thrown")
    println(s"$name.future=${last.value.fold("never completed")(_.toString)}")
  }
}

package lab.forked

import java.util.concurrent.atomic.AtomicInteger

import lab.process.Program

import scala.concurrent.{ExecutionContext, Future, Promise}

/** A Future that starts a Future that starts a Future …: how deep does it get on a stack of known size? In a JVM of its own, since a stack
  * that overflows in the middle of a class's initialisation spoils that class for good.
  *
  * Arguments: the number of steps, then stack sizes in KiB. Prints, for each context and size, how many steps began (`direct.512.steps=`),
  * how the thread that completed the first Future ended (`.thrown=`) and what the last Future came to (`.future=`).
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

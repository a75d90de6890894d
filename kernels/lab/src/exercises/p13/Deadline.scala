package lab.exercises

import java.util.concurrent.{CountDownLatch, TimeoutException}
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicReference

import scala.util.{Failure, Success, Try}

/** Write a time-out that leaves nothing running: the call runs on another thread, and if its time is over, it is interrupted and awaited. It
  * is what ZIO's `attemptBlockingInterrupt` and Ox do, written by hand.
  */
object Deadline extends Cases[(Int, () => Int) => Try[Int]]("13-deadline", Cases.workedOut) {
  private val (short, long) = (50, 60000) // milliseconds

  trial("a call that ends in time gives its value, and another thread ran it")(
    "Which thread can be interrupted while yours waits for it?",
    "Wrap the call in a `java.util.concurrent.FutureTask`, start a `new Thread(task)`, and ask `task.get` for the value."
  ) { within =>
    val (n, here, on) = (some(1, 1000), Thread.currentThread, new AtomicReference[Thread])
    val result = within(long, () => { on.set(Thread.currentThread); n })
    Seen(s"$n, on another thread", s"${said(result)}, ${if (on.get eq here) "on the caller's" else "on another thread"}")
  }
  trial("a call that fails gives its own failure")(
    "The exception is thrown on the other thread. How does it reach the caller?",
    "`task.get` throws an `ExecutionException`. Its cause is what the call threw."
  ) { within =>
    val thrown = new ArithmeticException(s"on purpose ${some(1, 1000)}")
    Seen(
      s"$thrown",
      within(long, () => throw thrown) match {
        case Failure(`thrown`) => s"$thrown"
        case other             => said(other)
      }
    )
  }
  trial("a call that takes too long is interrupted, and you get a `TimeoutException`")(
    "`task.get` with a time throws a `TimeoutException` when the time is over. What goes on then?",
    "Call `interrupt` on the thread, and return the exception as a `Failure`."
  ) { within =>
    val how = new AtomicReference("not interrupted")
    val result = within(
      short,
      () =>
        try { new CountDownLatch(1).await(8, SECONDS); 1 }
        catch { case stopped: InterruptedException => how.set("interrupted"); throw stopped }
    )
    Seen("a TimeoutException, interrupted", s"${said(result)}, ${how.get}")
  }
  trial("and it has ended when you return")(
    "The call may need a while to react. Who waits for that?",
    "Call `join()` on the thread after `interrupt()`, without a limit."
  ) { within =>
    val (how, returned, over) = (new AtomicReference("it runs on"), new CountDownLatch(1), new CountDownLatch(1))
    // After the interrupt, the call goes on until the answer has returned, for a second at most.
    def slowly(): Int =
      try { new CountDownLatch(1).await(8, SECONDS); 1 }
      catch {
        case stopped: InterruptedException =>
          if (!caught(returned.await(1, SECONDS)).contains(true)) how.set("it has ended")
          throw stopped
      } finally over.countDown()
    val result = within(short, () => slowly())
    returned.countDown()
    caught(reach(over))
    Seen("a TimeoutException, it has ended", s"${said(result)}, ${how.get}")
  }
  trial("your own thread isn't left interrupted")(
    "The interrupt is for the call's thread. Whose is `Thread.currentThread` in your `catch`?"
  ) { within =>
    val result = within(short, () => { new CountDownLatch(1).await(8, SECONDS); 1 })
    Seen("a TimeoutException, not interrupted", s"${said(result)}, ${if (Thread.interrupted()) "interrupted" else "not interrupted"}")
  }
  trial("a call that ends only after its time is too late, even if it has a value")(
    "The call ignored the interrupt and returned a number. Its time was over."
  ) { within =>
    val result = within(short, () => { caught(Thread.sleep(8000)); 1 })
    Seen("a TimeoutException", said(result))
  }

  private def said(result: Try[Int]): String = result match {
    case Success(value)               => s"$value"
    case Failure(_: TimeoutException) => "a TimeoutException"
    case Failure(other)               => s"$other"
  }
}

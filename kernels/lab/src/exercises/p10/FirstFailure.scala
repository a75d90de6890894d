package lab.exercises

import java.util.concurrent.CountDownLatch
import java.util.concurrent.locks.LockSupport

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, Future, Promise}
import scala.util.Failure

/** Write two tasks as Futures, either of which may fail. Then the caller gets the failure immediately, and the other task is asked to stop.
  * Nobody can do more than ask. A task gets a function, and calls it to find out if it should stop.
  */
object FirstFailure
    extends Cases[(((() => Boolean) => Int), ((() => Boolean) => Int), ExecutionContext) => Future[(Int, Int)]](
      "10-first-failure",
      8.seconds
    ) {
  private type Task = (() => Boolean) => Int
  private type Answer = (Task, Task, ExecutionContext) => Future[(Int, Int)]

  trial("both are submitted to `context` immediately, and the caller isn't blocked")(
    "Nothing has run yet. How many tasks are in the queue of `context`?",
    "Create both Futures before you combine them. If the second line of a `for` creates the second one, it comes too late."
  ) { both =>
    val held = new Held
    val result = both(_ => 1, _ => 2, held)
    Seen("2 wait, no result yet", s"${held.size} wait, ${if (result.isCompleted) "a result" else "no result yet"}")
  }
  trial("when both succeed, so does the result; and neither was told to stop")(
    "The first one is done while the second still runs. Is that a reason to stop the second?",
    "Only a failure sets what `stop` reads."
  ) { both =>
    val (one, two) = (number(), number())
    var toldToStop = false
    val held = new Held
    val result = both(_ => one, stop => { toldToStop = stop(); two }, held)
    held.runAll()
    Seen(s"($one,$two), not told to stop", s"${said(result)}, ${if (toldToStop) "told to stop" else "not told to stop"}")
  }
  trial("whichever fails, the result fails immediately with its exception, while the other still runs")(
    "A `for` waits for its first line first. What observes both Futures?",
    "`zip` fails as soon as either does (2.13). Or create a `Promise` that either task may fail, and that the pair may complete."
  ) { both =>
    val early = bothWays { (call, pool) =>
      val (running, end) = (new CountDownLatch(1), new CountDownLatch(1))
      val thrown = new ArithmeticException(s"on purpose ${number()}")
      val result = call(both, _ => { reach(running); throw thrown }, _ => { running.countDown(); end.await(); 1 }, pool)
      val heard = ended(result, 2.seconds)
      end.countDown()
      if (heard == Failure(thrown)) "immediately" else "not immediately, or something else"
    }
    Seen("the left one: immediately; the right one: immediately", s"the left one: ${early.head}; the right one: ${early.last}")
  }
  trial("and the other is told to stop")(
    "The other task still runs, and nobody can end it from outside. What can it look at?",
    "Create an `AtomicBoolean` in each call. `stop` reads it, and the failing task sets it."
  ) { both =>
    val seen = bothWays { (call, pool) =>
      val (running, heard) = (new CountDownLatch(1), Promise[Boolean]())
      def runs(stop: () => Boolean) = {
        running.countDown()
        heard.success(until(stop()))
        throw new IllegalStateException("stopped")
      }
      val result = call(both, _ => { reach(running); throw new ArithmeticException("on purpose") }, runs, pool)
      (Await.result(heard.future, 5.seconds), ended(result, 2.seconds))
    }
    val first = seen.forall(_._2.failed.toOption.exists(_.isInstanceOf[ArithmeticException]))
    val words = seen.map { case (heard, _) => if (heard) "told" else "not told" }.mkString(", ")
    Seen("told, told; the first exception", s"$words; ${if (first) "the first exception" else "another end"}")
  }
  trial("a task that hasn't begun when the other fails is told to stop when it begins")(
    "The second task may wait in the queue while the first one fails. What does it see when its turn comes?"
  ) { both =>
    val held = new Held
    var seen = "told" // If the other task isn't started at all any more, that is as good.
    val result = both(_ => throw new ArithmeticException("on purpose"), stop => { seen = if (stop()) "told" else "not told"; 2 }, held)
    held.runAll()
    Seen("told; failed: on purpose", s"$seen; ${said(result)}")
      .hintIf(seen == "not told")(
        "The failing task's own thread takes the next task from the queue before any callback runs. So let the task itself set the flag when it throws."
      )
  }
  trial("a failure in one call doesn't stop a task of another call")(
    "There are two simultaneous requests. What do your two calls share? Create it inside the method."
  ) { both =>
    val held = new Held
    var seen = "it didn't begin"
    val _ = both(_ => throw new ArithmeticException("on purpose"), _ => 1, held)
    held.runAll()
    val (one, two) = (number(), number())
    val result = both(stop => { seen = if (stop()) "told" else "not told"; one }, _ => two, held)
    held.runAll()
    Seen(s"not told; ($one,$two)", s"$seen; ${said(result)}")
  }

  /** Calls both tasks, given the one that throws and the one that runs. */
  private type Call = (Answer, Task, Task, ExecutionContext) => Future[(Int, Int)]

  /** Calls `use` once with the left task as the one that throws, and once with the right task. */
  private def bothWays[T](use: (Call, ExecutionContext) => T): Seq[T] = Seq[Call](
    (both, breaks, runs, pool) => both(breaks, runs, pool),
    (both, breaks, runs, pool) => both(runs, breaks, pool)
  ).map(call => withPool(2)(use(call, _)))

  private def until(stop: => Boolean): Boolean = {
    val deadline = 3.seconds.fromNow
    while (!stop && deadline.hasTimeLeft()) LockSupport.parkNanos(1.milli.toNanos)
    stop
  }

  private def said(result: Future[(Int, Int)]): String = outcome(result, none = "never complete")
  private def number(): Int = some(1, 1000)
}

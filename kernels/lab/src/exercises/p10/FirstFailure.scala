package lab.exercises

import java.util.concurrent.CountDownLatch
import java.util.concurrent.locks.LockSupport

import lab.page.Exercise
import lab.page.Exercise._

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, Future, Promise, TimeoutException}
import scala.util.{Failure, Random, Success, Try}

/** Two tasks as Futures, of which either may fail: the caller hears of it at once, and the other task is told to stop. More than telling it
  * can't be done. A task gets a function that says whether it should stop.
  */
object FirstFailure
    extends Exercise[(((() => Boolean) => Int), ((() => Boolean) => Int), ExecutionContext) => Future[(Int, Int)]]("10-first-failure") {

  override private[lab] def limit: FiniteDuration = 8.seconds

  private type Task = (() => Boolean) => Int
  private type Answer = (Task, Task, ExecutionContext) => Future[(Int, Int)]

  def trials: Trials = well ++ fails

  private def well: Trials = Seq(
    Trial(
      "both are handed to `context` at once, and the caller isn't held",
      "Nothing has run yet. How many tasks lie in the queue of `context`?",
      "Make both Futures before you combine them; a `for` whose second line makes the second one makes it late."
    ) { both =>
      val held = new Held
      val result = both(_ => 1, _ => 2, held)
      Seen("2 wait, no result yet", s"${held.size} wait, ${if (result.isCompleted) "a result" else "no result yet"}")
    },
    Trial(
      "when both succeed, so does the result; and neither was told to stop",
      "The first one is through while the second still runs. Is that a reason to stop the second?",
      "Only a failure sets what `stop` reads."
    ) { both =>
      val (one, two) = (number(), number())
      var toldToStop = false
      val held = new Held
      val result = both(_ => one, stop => { toldToStop = stop(); two }, held)
      held.runAll()
      Seen(s"($one,$two), not told to stop", s"${said(result)}, ${if (toldToStop) "told to stop" else "not told to stop"}")
    }
  )

  private def fails: Trials = Seq(
    Trial(
      "whichever fails, the result fails at once, with its exception, while the other still runs",
      "A `for` waits for its first line first. Who listens to both?",
      "`zip` fails as soon as either does (2.13); or a `Promise` that either may fail, and that the pair may complete."
    ) { both =>
      val seen = Seq(true, false).map { firstFails =>
        withPool(2) { pool =>
          val running = new CountDownLatch(1)
          val end = new CountDownLatch(1)
          val runs: Task = _ => { running.countDown(); end.await(); 1 }
          val thrown = new ArithmeticException(s"on purpose ${number()}")
          val breaks: Task = _ => { reach(running); throw thrown }
          val result = call(both, firstFails, breaks, runs, pool)
          val heard = after(result)
          end.countDown()
          heard == Failure(thrown)
        }
      }
      val words = Seq("the left one" -> seen.head, "the right one" -> seen.last).map { case (which, early) =>
        s"$which: ${if (early) "at once" else "not at once, or something else"}"
      }
      Seen("the left one: at once; the right one: at once", words.mkString("; "))
    },
    Trial(
      "and the other is told to stop",
      "It still runs, and nobody can end it from outside. What can it look at?",
      "An `AtomicBoolean`, made in each call, that `stop` reads and the failing one sets."
    ) { both =>
      val seen = Seq(true, false).map { firstFails =>
        withPool(2) { pool =>
          val (running, told) = (new CountDownLatch(1), Promise[Boolean]())
          val runs: Task = stop => {
            running.countDown()
            told.success(until(stop()))
            throw new IllegalStateException("stopped")
          }
          val thrown = new ArithmeticException("on purpose")
          val result = call(both, firstFails, _ => { reach(running); throw thrown }, runs, pool)
          val heard = Await.result(told.future, 5.seconds)
          (heard, after(result))
        }
      }
      val first =
        if (seen.forall(_._2.failed.toOption.exists(_.isInstanceOf[ArithmeticException]))) "the first exception" else "another end"
      Seen("told, told; the first exception", s"${seen.map { case (told, _) => if (told) "told" else "not told" }.mkString(", ")}; $first")
    },
    Trial(
      "one that hasn't begun yet when the other fails is told so when it begins",
      "It may be that the second task waits in the queue while the first one fails. What does it see when its turn comes?"
    ) { both =>
      val held = new Held
      var seen = "told" // one that isn't begun any more is as good
      val result = both(_ => throw new ArithmeticException("on purpose"), stop => { seen = if (stop()) "told" else "not told"; 2 }, held)
      held.runAll()
      Seen("told; failed: on purpose", s"$seen; ${said(result)}")
        .hintIf(seen == "not told")(
          "The failing task's own thread goes on with the next task in the queue before any callback runs: let the task itself set the flag when it throws."
        )
    },
    Trial(
      "a failure in one call stops nobody in another",
      "Two requests at once: what do your two calls share? Make it inside of the method."
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
  )

  private def call(both: Answer, firstFails: Boolean, breaks: Task, runs: Task, pool: ExecutionContext): Future[(Int, Int)] =
    if (firstFails) both(breaks, runs, pool) else both(runs, breaks, pool)

  /** What it has come to while others still run; "not yet" is an outcome of its own. */
  private def after(result: Future[(Int, Int)]): Try[(Int, Int)] =
    try Await.ready(result, 2.seconds).value.getOrElse(Failure(new TimeoutException))
    catch { case late: TimeoutException => Failure(late) }

  private def until(stop: => Boolean): Boolean = {
    val deadline = 3.seconds.fromNow
    while (!stop && deadline.hasTimeLeft()) LockSupport.parkNanos(1.milli.toNanos)
    stop
  }

  private def said(result: Future[(Int, Int)]): String = result.value match {
    case None                  => "never complete"
    case Some(Success(pair))   => s"$pair"
    case Some(Failure(thrown)) => s"failed: ${thrown.getMessage}"
  }

  private def number(): Int = 1 + Random.nextInt(1000)
}

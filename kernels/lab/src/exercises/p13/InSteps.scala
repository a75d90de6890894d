package lab.exercises

import java.util.concurrent.atomic.AtomicInteger

import lab.show.Say

import scala.concurrent.{ExecutionContext, Future}

/** Add up many numbers in steps, so that the other tasks of a context with one queue have their turn in between. It is what a runtime does
  * after some thousand steps of a fiber, written by hand.
  */
object InSteps extends Cases[(Seq[Int], Int, ExecutionContext) => Future[Long]]("13-steps") {
  private val most = 100

  trial("the sum is right")(
    "Numbers are left when the first step ends. What does the next step get?",
    "`splitAt(most)` gives the numbers of this step, and those that are left."
  ) { sum =>
    firstWrong(Seq(0, 1, most, most + some(1, most - 1), some(20, 30) * most + 1).map { size =>
      val numbers = Seq.fill(size)(some(1, 1000))
      val held = new Held
      val result = sum(numbers, most, held)
      held.runAll()
      Seen(s"${numbers.map(_.toLong).sum}", outcome(result, none = "never complete")).of(Say.count(size, "number"))
    })
  }
  trial("the caller isn't blocked, and adds nothing itself")(
    "Nothing of `context` has run when your method returns. On whose thread is the first step?",
    "Let the first step be a task, too: `Future(…)(context).flatMap(…)(context)`."
  ) { sum =>
    firstWrong(Seq(most, 5 * most).map { size =>
      val held = new Held
      val result = sum(Seq.fill(size)(1), most, held)
      Seen("1 waits, no result yet", s"${held.size} waits, ${if (result.isCompleted) "a result" else "no result yet"}")
        .of(Say.count(size, "number"))
    })
  }
  trial("a step takes at most `most` numbers")(
    "How many numbers does one of your tasks add?",
    "Add `most` numbers, and start the next step with those that are left. A copy of all numbers is a long step, too."
  ) { sum =>
    val (held, read) = (new Held, new AtomicInteger)
    val result = sum(LazyList.fill(some(10, 20) * most) { read.incrementAndGet(); 1 }, most, held)
    val counts = read.get +: Iterator.continually(held.runOne()).takeWhile(identity).map(_ => read.get).toVector
    val longest = (0 +: counts).zip(counts).map { case (before, after) => after - before }.max
    // A step may also look whether a number is left, and so reads one more.
    either(
      longest <= most + 1 && result.isCompleted,
      s"at most $most numbers in a task",
      s"${Say.count(longest, "number")} in a task${if (result.isCompleted) "" else ", no result"}"
    )
  }
  trial("the next step is submitted when the one before it has ended")(
    "If all steps are in the queue from the beginning, who is behind them?",
    "Submit the next step from the end of the one before: `flatMap` does that."
  ) { sum =>
    val held = new Held
    val result = sum(Seq.fill(10 * most)(1), most, held)
    var longest = held.size
    while (held.runOne()) longest = longest.max(held.size)
    Seen("1 at a time", if (result.isCompleted) s"$longest at a time" else "no result")
  }
  trial("a task that comes later has its turn before the end")(
    "The other task is behind your step in the queue. Where does your next step go?"
  ) { sum =>
    val (held, ran) = (new Held, new AtomicInteger)
    val result = sum(Seq.fill(10 * most)(1), most, held)
    held.execute { () => ran.incrementAndGet(); () }
    held.runOne()
    held.runOne()
    Seen(
      "it has run, no result yet",
      s"${if (ran.get == 1) "it has run" else "it waits"}, ${if (result.isCompleted) "a result" else "no result yet"}"
    )
  }
}

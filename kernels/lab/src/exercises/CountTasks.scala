package lab.exercises

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import lab.Exercise
import lab.Exercise._

import scala.concurrent.{ExecutionContext, Future}
import scala.util.Random

/** Wrap a context so that it counts the tasks it is handed, and changes nothing else. */
object CountTasks extends Exercise[(ExecutionContext, AtomicInteger) => ExecutionContext]("01-count") {

  def trials = Seq(
    Trial("every task is counted, when it is handed over") { count =>
      val (held, counter, n) = (new Held, new AtomicInteger, some())
      val counting = count(held, counter)
      (1 to n).foreach(_ => counting.execute(() => ()))
      Seen(s"$n after $n tasks", s"${counter.get} after $n tasks")
    },
    Trial("each runs once, and no earlier than the wrapped context says") { count =>
      val (held, ran, n) = (new Held, new AtomicInteger, some())
      val counting = count(held, new AtomicInteger)
      (1 to n).foreach(_ => counting.execute { () => ran.incrementAndGet(); () })
      val before = ran.get
      held.runAll()
      Seen(s"0 run before, $n after", s"$before run before, ${ran.get} after")
    },
    Trial("`execute` doesn't wait for the task") { count =>
      withPool(1) { pool =>
        val (release, ran) = (new CountDownLatch(1), new CountDownLatch(2))
        val counting = count(pool, new AtomicInteger)
        counting.execute { () => release.await(); ran.countDown() }
        counting.execute(() => ran.countDown())
        release.countDown()
        Seen(expected = "both tasks run", happened = if (reach(ran)) "both tasks run" else s"${2 - ran.getCount} ran")
      }
    },
    Trial("a Future and its `map`s are tasks too") { count =>
      val (held, counter, n) = (new Held, new AtomicInteger, some())
      val counting = count(held, counter)
      val end = (1 to n).foldLeft(Future(0)(counting))((future, _) => future.map(_ + 1)(counting))
      held.runAll()
      Seen(s"Some(Success($n)), ${n + 1} tasks", s"${end.value}, ${counter.get} tasks")
    },
    Trial("a failure that nobody awaits is reported to the wrapped context") { count =>
      val held = new Held
      val cause = new Exception("on purpose")
      count(held, new AtomicInteger).reportFailure(cause)
      Seen(cause, Option(held.reported.poll()).getOrElse("no report"))
    }
  )

  def hints = Seq(
    "The wrapper is an `ExecutionContext`: write `new ExecutionContext { … }` and give it its two methods.",
    "In `execute`: count first, then hand the same task on to `underlying.execute`. Don't run it yourself.",
    "`reportFailure` has nothing to count: hand the cause on as well."
  )

  private def some(): Int = 3 + Random.nextInt(20)
}

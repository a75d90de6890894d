package lab.exercises

import java.util.concurrent.{CountDownLatch, CyclicBarrier}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{ExecutionContext, Future}

/** Write a wrapper for a context. It counts the tasks that it receives, and changes nothing else. */
object CountTasks extends Cases[(ExecutionContext, AtomicInteger) => ExecutionContext]("01-count") {
  trial("every task is counted when it is submitted")(
    "The wrapper is an `ExecutionContext`: write `new ExecutionContext { … }` and give it its two methods. Whose `execute` do callers call now?",
    "In `execute`, add 1 to `count` first, outside of the task. A task in the queue has been submitted, too."
  ) { count =>
    val (held, counter, n) = (new Held, new AtomicInteger, some(3, 22))
    val counting = count(held, counter)
    (1 to n).foreach(_ => counting.execute(() => ()))
    val handedOver = counter.get
    held.runAll()
    Seen(s"$n after $n tasks", s"$handedOver after $n tasks")
      .hintIf(handedOver == 0 && counter.get == n)(
        "You count each task when it runs. Count it when it is submitted, before it goes on to the pool."
      )
  }
  trial("each task runs once, and no earlier than the wrapped context says")(
    "`underlying` decides which thread runs the task, and when.",
    "Submit the task to `underlying.execute` once, and don't run it yourself."
  ) { count =>
    val (held, ran, n) = (new Held, new AtomicInteger, some(3, 22))
    val counting = count(held, new AtomicInteger)
    (1 to n).foreach(_ => counting.execute { () => ran.incrementAndGet(); () })
    val before = ran.get
    held.runAll()
    Seen(s"0 run before, $n after", s"$before run before, ${ran.get} after")
  }
  trial("`execute` doesn't wait for the task")(
    "The pool of this case has one thread. Its first task ends only after the second one was submitted. What does your `execute` wait for?"
  ) { count =>
    withPool(1) { pool =>
      val (release, ran) = (new CountDownLatch(1), new CountDownLatch(2))
      val counting = count(pool, new AtomicInteger)
      counting.execute { () => release.await(); ran.countDown() }
      counting.execute(() => ran.countDown())
      release.countDown()
      either(reach(ran), "both tasks run", s"${2 - ran.getCount} ran")
    }
  }
  trial("the wrapped context gets the very task that was submitted")(
    "A task may be more than a `Runnable`. `underlying` may look at its class (`Batchable`, for example) to decide how to run it. What does it see if you wrap the task in another one?",
    "Call `underlying.execute(task)`, with nothing around `task`."
  ) { count =>
    var got = Option.empty[Runnable]
    val task: Runnable = () => ()
    count(contextOf(handed => got = Some(handed)), new AtomicInteger).execute(task)
    either(got.exists(_ eq task), "the same task", got.fold("none")(_ => "another one"))
  }
  trial("many threads may submit simultaneously")(
    "If two threads read the same number, both write the same next one. `AtomicInteger` reads and writes in one step."
  ) { count =>
    val (counter, each) = (new AtomicInteger, 20000)
    val (counting, start) = (count(contextOf(_ => ()), counter), new CyclicBarrier(3))
    val callers = Seq.fill(3)(daemons.newThread { () =>
      start.await()
      (1 to each).foreach(_ => counting.execute(() => ()))
    })
    callers.foreach(_.start())
    callers.foreach(_.join())
    Seen(s"${3 * each} counted", s"${counter.get} counted")
  }
  trial("a Future and its `map`s are tasks too")("A Future's body is one task, and each `map` is another one. Count them all.") { count =>
    val (held, counter, n) = (new Held, new AtomicInteger, some(3, 22))
    val counting = count(held, counter)
    val end = (1 to n).foldLeft(Future(0)(counting))((future, _) => future.map(_ + 1)(counting))
    held.runAll()
    Seen(s"Some(Success($n)), ${n + 1} tasks", s"${end.value}, ${counter.get} tasks")
  }
  trial("a failure that nobody awaits is reported to the wrapped context, and isn't a task")(
    "An `ExecutionContext` has a second method, `reportFailure`. There is nothing to count in it, but pass the cause on to `underlying`."
  ) { count =>
    val (held, counter, cause) = (new Held, new AtomicInteger, new Exception("on purpose"))
    count(held, counter).reportFailure(cause)
    Seen(s"$cause, 0 counted", s"${Option(held.reported.poll()).getOrElse("no report")}, ${counter.get} counted")
  }
}

package lab.exercises

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.ExecutionContext

/** Write a context that runs at most a given number of tasks simultaneously on a larger pool. A task that waits occupies no thread. */
object AtMost extends Cases[(Int, ExecutionContext) => ExecutionContext]("01-at-most") {
  trial("the pool gets as many tasks as may run, and no more")(
    "No task has run yet in this case. `limit` tasks may be in `underlying`'s queue. The others wait in a queue of your context.",
    "You need a queue of waiting tasks, and the number of tasks at the pool. `execute` adds the task to the queue. Then, if there is room, it takes a task out and submits it to `underlying`."
  ) { atMost =>
    val (held, limit) = (new Held, some(2, 5))
    val limited = atMost(limit, held)
    (1 to 3 * limit).foreach(_ => limited.execute(() => ()))
    Seen(s"$limit at the pool", s"${held.size} at the pool")
  }
  trial("every task runs once, first come, first served")(
    "When a task ends, there is room for the one that has waited longest. Which thread looks into your queue then?",
    "Submit a task to the pool that runs the reader's task. Afterwards it frees the place and looks into the queue again."
  ) { atMost =>
    val (held, n) = (new Held, some(10, 19))
    val ran = Vector.newBuilder[Int]
    val limited = atMost(2, held)
    (1 to n).foreach(number => limited.execute { () => ran += number; () })
    val early = ran.result().size
    held.runAll()
    Seen(s"0 early, then ${(1 to n).mkString(" ")}", s"$early early, then ${ran.result().mkString(" ")}")
  }
  trial("as many tasks as may run do run simultaneously")(
    "Does a task run inside your `synchronized`? The lock should guard only the queue and the count, for a moment."
  ) { atMost =>
    withPool(4) { pool =>
      val together = new CountDownLatch(3)
      val limited = atMost(3, pool)
      (1 to 3).foreach(_ => limited.execute { () => together.countDown(); together.await() })
      either(reach(together), "three simultaneously", s"${3 - together.getCount} simultaneously")
    }
  }
  trial("a task that throws makes room like any other, and its exception is reported")(
    "What runs after a task that throws? Free its place in a `finally`.",
    "`try task.run() finally { … }` frees the place. The exception goes on to the pool, which reports it."
  ) { atMost =>
    val (held, ran, n) = (new Held, new AtomicInteger, some(5, 9))
    val limited = atMost(1, held)
    (1 to n).foreach(_ => limited.execute { () => ran.incrementAndGet(); throw new IllegalStateException("on purpose") })
    held.runAll()
    Seen(s"$n ran, $n exceptions reached the pool", s"${ran.get} ran, ${held.reported.size} exceptions reached the pool")
  }
  trial("if many threads submit simultaneously, no task is lost and the limit holds")(
    "Between two reads of the count another thread may have changed it. Read it and change it in one step, under one lock.",
    "Take a task out and add 1 to the count inside one `synchronized`; subtract inside another. Submit outside of both."
  ) { atMost =>
    withPool(4) { pool =>
      val (each, now, most) = (500, new AtomicInteger, new AtomicInteger)
      val all = new CountDownLatch(3 * each)
      val limited = atMost(2, pool)
      def task(): Unit = {
        most.accumulateAndGet(now.incrementAndGet(), math.max(_, _))
        Thread.`yield`()
        now.decrementAndGet()
        all.countDown()
      }
      (1 to 3).foreach(_ => onThread((1 to each).foreach(_ => limited.execute(() => task()))))
      val done = reach(all)
      Seen("all ran, at most 2 simultaneously", s"${if (done) "all" else "not all"} ran, at most ${most.get.max(2)} simultaneously")
    }
  }
}

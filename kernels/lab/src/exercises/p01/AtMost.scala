package lab.exercises

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.ExecutionContext

/** Write a context that runs at most so many tasks at once on a pool with more threads, and holds no thread for a task that waits. */
object AtMost extends Cases[(Int, ExecutionContext) => ExecutionContext]("01-at-most") {
  trial("as many tasks as may run go to the pool, not more")(
    "Nothing of this case has run yet: so many tasks may stand in `underlying`'s queue, and the others wait in one of your own.",
    "Two things to keep: a queue of waiting tasks, and how many are at the pool. `execute` puts the task into the queue; then, if there is room, takes one out and hands it to `underlying`."
  ) { atMost =>
    val (held, limit) = (new Held, some(2, 5))
    val limited = atMost(limit, held)
    (1 to 3 * limit).foreach(_ => limited.execute(() => ()))
    Seen(s"$limit at the pool", s"${held.size} at the pool")
  }
  trial("all run, once each, first come, first served")(
    "When a task ends, there is room for the one that has waited longest. Who looks into your queue then?",
    "Hand the pool a task that runs the reader's task and afterwards gives the place back and looks into the queue again."
  ) { atMost =>
    val (held, n) = (new Held, some(10, 19))
    val ran = Vector.newBuilder[Int]
    val limited = atMost(2, held)
    (1 to n).foreach(number => limited.execute { () => ran += number; () })
    val early = ran.result().size
    held.runAll()
    Seen(s"0 early, then ${(1 to n).mkString(" ")}", s"$early early, then ${ran.result().mkString(" ")}")
  }
  trial("as many as may run do run at once")(
    "Is a task run inside your `synchronized`? It should guard queue and count, for a moment, and nothing else."
  ) { atMost =>
    withPool(4) { pool =>
      val together = new CountDownLatch(3)
      val limited = atMost(3, pool)
      (1 to 3).foreach(_ => limited.execute { () => together.countDown(); together.await() })
      either(reach(together), "three at once", s"${3 - together.getCount} at once")
    }
  }
  trial("a task that throws makes room like any other, and is heard of")(
    "What runs after a task that throws? Give the place back in a `finally`.",
    "`try task.run() finally { … }` gives the place back, and what was thrown goes on to the pool, which reports it."
  ) { atMost =>
    val (held, ran, n) = (new Held, new AtomicInteger, some(5, 9))
    val limited = atMost(1, held)
    (1 to n).foreach(_ => limited.execute { () => ran.incrementAndGet(); throw new IllegalStateException("on purpose") })
    held.runAll()
    Seen(s"$n ran, $n exceptions reached the pool", s"${ran.get} ran, ${held.reported.size} exceptions reached the pool")
  }
  trial("from many threads at once, none is lost and the limit holds")(
    "Between two looks at the count another thread may have changed it. Look and count in one step, under one lock.",
    "Take a task out and add 1 to the count inside one `synchronized`; subtract inside another. Hand over outside of both."
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
      Seen("all ran, at most 2 at once", s"${if (done) "all" else "not all"} ran, at most ${most.get.max(2)} at once")
    }
  }
}

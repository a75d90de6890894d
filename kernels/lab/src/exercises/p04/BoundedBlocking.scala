package lab.exercises

import java.util.concurrent.{CountDownLatch, ExecutorService, RejectedExecutionException}
import java.util.concurrent.atomic.AtomicInteger

import lab.machine.Settle
import lab.page.Exercise
import lab.page.Exercise._

import scala.concurrent.duration._
import scala.concurrent.{blocking, Await, ExecutionContext, Future}
import scala.util.{Failure, Random, Success, Try}

/** Build a pool that hears `blocking`, up to a limit, and says when that is reached. */
object BoundedBlocking extends Exercise[(Int, Int) => ExecutorService]("04-bounded") {

  def trials = Seq(
    Trial(
      "of tasks that say nothing, as many run at once as it has threads",
      "The limit is on tasks that block. What says nothing gets `threads` threads, as in any `ForkJoinPool(threads)`."
    ) { bounded =>
      val threads = sizes()
      Seen(threads, on(bounded(threads, 20))(pool => new Naps(3 * threads, pool)(nap => nap).together(threads + 1)))
    },
    Trial(
      "of tasks that say `blocking`, as many sleep at once as the limit allows, and another one still runs",
      "Who hears `blocking`? The thread, if its class is a `BlockContext`. So the pool needs a thread factory of its own: `new ForkJoinPool(threads, factory, null, true)`.",
      "`new ForkJoinWorkerThread(pool) with BlockContext { def blockOn[T](body: => T)(implicit permission: CanAwait): T = … }`: in it, hand a `ManagedBlocker` to `ForkJoinPool.managedBlock`. Its `block()` runs the body and returns true."
    ) { bounded =>
      val (threads, most) = (sizes(), 12 + Random.nextInt(8))
      on(bounded(threads, most)) { pool =>
        val asleep = new Naps(most, pool)(blocking(_)).together(most)
        val runs = Try(Await.result(Future("runs")(pool), 1.second)).getOrElse("doesn't run")
        Seen(s"$most asleep, another runs", s"$asleep asleep, another $runs")
      }
    },
    Trial(
      "one more is refused with a RejectedExecutionException; once the others are awake, the next one isn't",
      "One `Semaphore` for the whole pool counts those who block. `tryAcquire` before the body; where there is no permit, throw.",
      "Whoever is awake gives the permit back: `release` in a `finally`."
    ) { bounded =>
      val (threads, most) = (sizes(), 12 + Random.nextInt(8))
      on(bounded(threads, most)) { pool =>
        val naps = new Naps(most, pool)(blocking(_))
        naps.together(most)
        val first = outcome(Future(blocking(1))(pool))
        naps.end()
        Seen("refused, then fine", s"$first, then ${outcome(Future(blocking(1))(pool))}")
      }
    },
    Trial(
      "what the body gives or throws comes back, however often it throws",
      "A body that throws must give its permit back, too: `release` in a `finally`. And `managedBlock` lets an exception of the body through, so let it."
    ) { bounded =>
      on(bounded(2, 3)) { pool =>
        val value = Random.nextInt(1000)
        val thrown = (1 to 5).map(_ => outcome(Future(blocking[Int](throw new ArithmeticException("on purpose")))(pool)))
        val last = Try(Await.result(Future(blocking(value))(pool), 1.second))
        Seen(
          s"5 × ArithmeticException, then Success($value)",
          s"${thrown.count(_ == "ArithmeticException")} × ArithmeticException, then $last"
        )
      }
    },
    Trial(
      "a `blocking` inside a `blocking` is the same task: it needs no second permit",
      "The limit is on tasks at a time, and this one holds its permit already. How can its thread know?",
      "A flag in the thread: set while it holds the permit. Where it is set, `blockOn` just runs the body."
    ) { bounded =>
      on(bounded(2, 1)) { pool =>
        val value = Random.nextInt(1000)
        val nested = Try(Await.result(Future(blocking(blocking(value)))(pool), 1.second))
        Seen(s"Success($value)", s"$nested").of("most = 1, blocking(blocking(…))")
      }
    },
    Trial(
      "after nested ones, the limit is what it was",
      "How many permits are there after a nested `blocking`: one more, one less? Only the outermost one takes a permit, and only it gives one back.",
      "And the flag is for as long as the permit: take it down in the same `finally`."
    ) { bounded =>
      val (threads, most) = (sizes(), 12 + Random.nextInt(8))
      on(bounded(threads, most)) { pool =>
        (1 to 2 * most).foreach(_ => outcome(Future(blocking { blocking(1) + blocking(2) })(pool)))
        (1 to 3).foreach(_ => outcome(Future(blocking(blocking[Int](throw new ArithmeticException("on purpose"))))(pool)))
        val naps = new Naps(most, pool)(blocking(_))
        val asleep = naps.together(most)
        Seen(s"$most asleep, one more refused", s"$asleep asleep, one more ${outcome(Future(blocking(1))(pool))}")
      }
    }
  )

  /** Never the number of CPUs: the global pool is no answer. */
  private def sizes(): Int = Runtime.getRuntime.availableProcessors + 1 + Random.nextInt(3)

  private def on[T](service: ExecutorService)(use: ExecutionContext => T): T =
    try use(ExecutionContext.fromExecutorService(service, _ => ()))
    finally { service.shutdownNow(); () }

  private def outcome(future: Future[Int]): String = Try(Await.result(future, 1.second)) match {
    case Success(_)                                        => "fine"
    case Failure(_: RejectedExecutionException)            => "refused"
    case Failure(_: java.util.concurrent.TimeoutException) => "no answer"
    case Failure(other)                                    => other.getClass.getSimpleName
  }

  /** Tasks that sleep until they are told. */
  private final class Naps(tasks: Int, pool: ExecutionContext)(wrap: (=> Unit) => Unit) {
    private val (asleep, alarm) = (new AtomicInteger, new CountDownLatch(1))
    private val all = (1 to tasks).map(_ => Future(wrap { asleep.incrementAndGet(); alarm.await() })(pool))

    /** How many sleep at once, if there may be `most`. */
    def together(most: Int): Int = Settle(most, quiet = 400.millis)(asleep.get)

    def end(): Unit = {
      alarm.countDown()
      all.foreach(Await.ready(_, 1.second))
    }
  }
}

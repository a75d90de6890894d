package lab.exercises

import java.util.concurrent.{ExecutorService, RejectedExecutionException, TimeoutException}

import scala.concurrent.duration._
import scala.concurrent.{blocking, Await, ExecutionContext, Future}
import scala.util.{Failure, Random, Success}

/** Build a pool that hears `blocking`, up to a limit, and says when that is reached. */
object BoundedBlocking extends Cases[(Int, Int) => ExecutorService]("04-bounded") {
  trial("of tasks that say nothing, as many run at once as it has threads")(
    "The limit is on tasks that block. What says nothing gets `threads` threads, as in any `ForkJoinPool(threads)`."
  ) { bounded =>
    val threads = sizes()
    Seen(threads, on(bounded(threads, 20))(pool => new Naps(3 * threads, pool)(nap => nap).together(threads + 1)))
  }
  trial("of tasks that say `blocking`, as many sleep at once as the limit allows, and another one still runs")(
    "Who hears `blocking`? The thread, if its class is a `BlockContext`. So the pool needs a thread factory of its own: `new ForkJoinPool(threads, factory, null, true)`.",
    "`new ForkJoinWorkerThread(pool) with BlockContext { def blockOn[T](body: => T)(implicit permission: CanAwait): T = … }`: in it, hand a `ManagedBlocker` to `ForkJoinPool.managedBlock`. Its `block()` runs the body and returns true."
  ) { bounded =>
    val (threads, most) = (sizes(), some(12, 19))
    on(bounded(threads, most)) { pool =>
      val asleep = new Naps(most, pool)(blocking(_)).together(most)
      val runs = ended(Future("runs")(pool)).getOrElse("doesn't run")
      Seen(s"$most asleep, another runs", s"$asleep asleep, another $runs")
    }
  }
  trial("one more is refused with a RejectedExecutionException; once the others are awake, the next one isn't")(
    "One `Semaphore` for the whole pool counts those who block. `tryAcquire` before the body; where there is no permit, throw.",
    "Whoever is awake gives the permit back: `release` in a `finally`."
  ) { bounded =>
    val (threads, most) = (sizes(), some(12, 19))
    on(bounded(threads, most)) { pool =>
      val naps = new Naps(most, pool)(blocking(_))
      naps.together(most)
      val first = outcome(Future(blocking(1))(pool))
      naps.end()
      Seen("refused, then fine", s"$first, then ${outcome(Future(blocking(1))(pool))}")
    }
  }
  trial("what the body gives or throws comes back, however often it throws")(
    "A body that throws must give its permit back, too: `release` in a `finally`. And `managedBlock` lets an exception of the body through, so let it."
  ) { bounded =>
    on(bounded(2, 3)) { pool =>
      val value = Random.nextInt(1000)
      val thrown = (1 to 5).map(_ => outcome(Future(blocking[Int](throw new ArithmeticException("on purpose")))(pool)))
      val happened = s"${thrown.count(_ == "ArithmeticException")} × ArithmeticException, then ${ended(Future(blocking(value))(pool))}"
      Seen(s"5 × ArithmeticException, then Success($value)", happened)
    }
  }
  trial("a `blocking` inside a `blocking` is the same task: it needs no second permit")(
    "The limit is on tasks at a time, and this one holds its permit already. How can its thread know?",
    "A flag in the thread: set while it holds the permit. Where it is set, `blockOn` just runs the body."
  ) { bounded =>
    on(bounded(2, 1)) { pool =>
      val value = Random.nextInt(1000)
      val nested = ended(Future(blocking(blocking(value)))(pool))
      Seen(s"Success($value)", s"$nested").of("most = 1, blocking(blocking(…))")
    }
  }
  trial("after nested ones, the limit is what it was")(
    "How many permits are there after a nested `blocking`: one more, one less? Only the outermost one takes a permit, and only it gives one back.",
    "And the flag is for as long as the permit: take it down in the same `finally`."
  ) { bounded =>
    val (threads, most) = (sizes(), some(12, 19))
    on(bounded(threads, most)) { pool =>
      (1 to 2 * most).foreach(_ => outcome(Future(blocking { blocking(1) + blocking(2) })(pool)))
      (1 to 3).foreach(_ => outcome(Future(blocking(blocking[Int](throw new ArithmeticException("on purpose"))))(pool)))
      val asleep = new Naps(most, pool)(blocking(_)).together(most)
      Seen(s"$most asleep, one more refused", s"$asleep asleep, one more ${outcome(Future(blocking(1))(pool))}")
    }
  }

  /** Never the number of CPUs: the global pool is no answer. */
  private def sizes(): Int = Runtime.getRuntime.availableProcessors + some(1, 3)

  private def on[T](service: ExecutorService)(use: ExecutionContext => T): T =
    try use(ExecutionContext.fromExecutorService(service, _ => ()))
    finally { service.shutdownNow(); () }

  private def outcome(future: Future[Int]): String = ended(future) match {
    case Success(_)                             => "fine"
    case Failure(_: RejectedExecutionException) => "refused"
    case Failure(_: TimeoutException)           => "no answer"
    case Failure(other)                         => other.getClass.getSimpleName
  }

  private final class Naps(tasks: Int, pool: ExecutionContext)(wrap: (=> Unit) => Unit) {
    private val sleepers = new Sleepers
    private val all = (1 to tasks).map(_ => Future(wrap(sleepers.sleep()))(pool))

    /** How many sleep at once, if there may be `most`. */
    def together(most: Int): Int = sleepers.settled(most, quiet = 400.millis)

    def end(): Unit = {
      sleepers.wake()
      all.foreach(Await.ready(_, 1.second))
    }
  }
}

package lab.exercises

import java.util.concurrent.{ExecutorService, RejectedExecutionException, TimeoutException}

import scala.concurrent.duration._
import scala.concurrent.{blocking, Await, ExecutionContext, Future}
import scala.util.{Failure, Random, Success}

/** Build a pool that supports `blocking` up to a limit, and rejects further blocking tasks. */
object BoundedBlocking extends Cases[(Int, Int) => ExecutorService]("04-bounded") {
  trial("without `blocking`, as many tasks run simultaneously as the pool has threads")(
    "The limit is on tasks that call `blocking`. Tasks that don't call it get `threads` threads, as in any `ForkJoinPool(threads)`."
  ) { bounded =>
    val threads = sizes()
    Seen(threads, on(bounded(threads, 20))(pool => new Naps(3 * threads, pool)(nap => nap).together(threads + 1)))
  }
  trial("with `blocking`, as many tasks sleep simultaneously as the limit allows, and another one still runs")(
    "What does `blocking` notify? The thread, if its class is a `BlockContext`. So the pool needs its own thread factory: `new ForkJoinPool(threads, factory, null, true)`.",
    "Create a `new ForkJoinWorkerThread(pool) with BlockContext { def blockOn[T](body: => T)(implicit permission: CanAwait): T = … }`. In `blockOn`, pass a `ManagedBlocker` to `ForkJoinPool.managedBlock`. Its `block()` runs the body and returns true."
  ) { bounded =>
    val (threads, most) = (sizes(), some(12, 19))
    on(bounded(threads, most)) { pool =>
      val asleep = new Naps(most, pool)(blocking(_)).together(most)
      val runs = ended(Future("runs")(pool)).getOrElse("doesn't run")
      Seen(s"$most asleep, another runs", s"$asleep asleep, another $runs")
    }
  }
  trial("beyond the limit, `blocking` throws a RejectedExecutionException; once the others are awake, it doesn't")(
    "One `Semaphore` for the whole pool counts the tasks inside `blocking`. Call `tryAcquire` before the body, and throw if it returns false.",
    "A task that leaves `blocking` gives its permit back: `release` in a `finally`."
  ) { bounded =>
    val (threads, most) = (sizes(), some(12, 19))
    on(bounded(threads, most)) { pool =>
      val naps = new Naps(most, pool)(blocking(_))
      naps.together(most)
      val first = outcome(Future(blocking(1))(pool))
      naps.end()
      Seen("rejected, then fine", s"$first, then ${outcome(Future(blocking(1))(pool))}")
    }
  }
  trial("`blocking` returns or throws what the body does, however often it throws")(
    "A body that throws must also give its permit back: `release` in a `finally`. And `managedBlock` passes an exception of the body on, so let it."
  ) { bounded =>
    on(bounded(2, 3)) { pool =>
      val value = Random.nextInt(1000)
      val thrown = (1 to 5).map(_ => outcome(Future(blocking[Int](throw new ArithmeticException("on purpose")))(pool)))
      val happened = s"${thrown.count(_ == "ArithmeticException")} × ArithmeticException, then ${ended(Future(blocking(value))(pool))}"
      Seen(s"5 × ArithmeticException, then Success($value)", happened)
    }
  }
  trial("a `blocking` inside a `blocking` needs no second permit, because it is the same task")(
    "The limit counts tasks, and this one already has its permit. How can its thread know that?",
    "Add a flag to the thread, set while it has the permit. If it is set, `blockOn` just runs the body."
  ) { bounded =>
    on(bounded(2, 1)) { pool =>
      val value = Random.nextInt(1000)
      val nested = ended(Future(blocking(blocking(value)))(pool))
      Seen(s"Success($value)", s"$nested").of("most = 1, blocking(blocking(…))")
    }
  }
  trial("after nested ones, the limit is the same as before")(
    "How many permits are there after a nested `blocking`: an extra one, or one less? Only the outermost one takes a permit, and only it gives one back.",
    "Set the flag for as long as the thread has the permit. Clear it in the same `finally`."
  ) { bounded =>
    val (threads, most) = (sizes(), some(12, 19))
    on(bounded(threads, most)) { pool =>
      (1 to 2 * most).foreach(_ => outcome(Future(blocking { blocking(1) + blocking(2) })(pool)))
      (1 to 3).foreach(_ => outcome(Future(blocking(blocking[Int](throw new ArithmeticException("on purpose"))))(pool)))
      val asleep = new Naps(most, pool)(blocking(_)).together(most)
      Seen(s"$most asleep, another one rejected", s"$asleep asleep, another one ${outcome(Future(blocking(1))(pool))}")
    }
  }

  /** Returns a number that isn't the number of CPUs, so that the global pool is no answer. */
  private def sizes(): Int = Runtime.getRuntime.availableProcessors + some(1, 3)

  private def on[T](service: ExecutorService)(use: ExecutionContext => T): T =
    try use(ExecutionContext.fromExecutorService(service, _ => ()))
    finally { service.shutdownNow(); () }

  private def outcome(future: Future[Int]): String = ended(future) match {
    case Success(_)                             => "fine"
    case Failure(_: RejectedExecutionException) => "rejected"
    case Failure(_: TimeoutException)           => "no answer"
    case Failure(other)                         => other.getClass.getSimpleName
  }

  private final class Naps(tasks: Int, pool: ExecutionContext)(wrap: (=> Unit) => Unit) {
    private val sleepers = new Sleepers
    private val all = (1 to tasks).map(_ => Future(wrap(sleepers.sleep()))(pool))

    /** Returns how many sleep simultaneously, if at most `most` may. */
    def together(most: Int): Int = sleepers.settled(most, quiet = 400.millis)

    def end(): Unit = {
      sleepers.wake()
      all.foreach(Await.ready(_, 1.second))
    }
  }
}

package lab.exercises

import java.util.concurrent.{CountDownLatch, Executors, LinkedBlockingQueue, ThreadFactory, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import lab.machine.Settle
import lab.page.Exercise

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, ExecutionContextExecutorService, Future}
import scala.util.{Random, Try}

/** Helpers for cases. */
private[exercises] trait Tools {
  type Seen = Exercise.Seen
  val Seen: Exercise.Seen.type = Exercise.Seen

  /** Returns the first of several tries that isn't fine. If all are, it returns the first. */
  private[exercises] def firstWrong(tries: Seq[Seen]): Seen = tries.find(!_.fine).getOrElse(tries.head)

  /** Compares one of two outcomes with the `expected` one, which happened if `fine`. */
  private[exercises] def either(fine: Boolean, expected: String, otherwise: => String): Seen =
    Seen(expected, if (fine) expected else otherwise)

  /** Returns a random number, both bounds included, so that no constant passes for an answer. */
  private[exercises] def some(from: Int, to: Int): Int = from + Random.nextInt(to - from + 1)

  /** Calls `use` with a pool of `size` daemon threads. Afterwards the pool is stopped, whatever its tasks are doing. */
  private[exercises] def withPool[T](size: Int)(use: ExecutionContextExecutorService => T): T = {
    val pool = Executors.newFixedThreadPool(size, daemons)
    try use(ExecutionContext.fromExecutorService(pool, _ => ()))
    finally { pool.shutdownNow(); () }
  }

  /** Daemon threads that print nothing if the end of a case interrupts them. */
  private[exercises] val daemons: ThreadFactory =
    Thread.ofPlatform.daemon.name("exercise-pool").uncaughtExceptionHandler((_, _) => ()).factory

  /** Runs `body` on a new thread. */
  private[exercises] def onThread(body: => Unit): Unit = daemons.newThread(() => body).start()

  /** Returns a context that passes each task to `run` and ignores reported failures. */
  private[exercises] def contextOf(run: Runnable => Unit): ExecutionContext = ExecutionContext.fromExecutor(run(_), _ => ())

  /** Waits until `latch` is open. If that takes longer than `limit`, the case ends. */
  private[exercises] def reach(latch: CountDownLatch, limit: FiniteDuration = 2.seconds): Boolean =
    latch.await(limit.toMillis, TimeUnit.MILLISECONDS)

  /** Returns what `future` has come to so far: its value, its failure's message, or `none`. */
  private[exercises] def outcome(future: Future[_], none: String): String =
    future.value.fold(none)(_.fold(thrown => s"failed: ${thrown.getMessage}", value => s"$value"))

  /** Returns what `future` comes to within `limit`. */
  private[exercises] def ended[T](future: Future[T], limit: FiniteDuration = 1.second): Try[T] = Try(Await.result(future, limit))

  /** Returns what `body` returns or throws, even an `InterruptedException`, which `Try` doesn't catch. */
  private[exercises] def caught[T](body: => T): Either[Throwable, T] =
    try Right(body)
    catch { case thrown: Throwable => Left(thrown) }
}

/** A context without threads. It keeps submitted tasks until a case runs them, so the case decides what happens when. */
private[exercises] final class Held extends ExecutionContext {
  private val tasks = new LinkedBlockingQueue[Runnable]
  val reported = new LinkedBlockingQueue[Throwable]

  def size: Int = tasks.size
  def execute(task: Runnable): Unit = tasks.put(task)
  def reportFailure(cause: Throwable): Unit = reported.put(cause)

  /** Runs the oldest task on the calling thread, and keeps what it throws in `reported`. Returns false if there is no task. */
  def runOne(): Boolean = Option(tasks.poll()).exists { task =>
    try task.run()
    catch { case thrown: Throwable => reportFailure(thrown) }
    true
  }

  /** Runs tasks until none is left. */
  def runAll(): Unit = while (runOne()) ()
}

/** Tasks that sleep until they are woken. */
private[exercises] final class Sleepers {
  private val (inside, alarm) = (new AtomicInteger, new CountDownLatch(1))

  def sleep(): Unit = { inside.incrementAndGet(); alarm.await() }
  def asleep: Int = inside.get
  def wake(): Unit = alarm.countDown()

  /** Returns how many sleep when the number has stopped changing. It waits a moment longer to see whether more than `enough` do. */
  def settled(enough: Int, quiet: FiniteDuration = 1.second): Int = {
    Settle(enough, quiet = quiet)(asleep)
    Settle(enough + 1, quiet = 200.millis)(asleep)
  }
}

/** Counts the largest number of simultaneous participants. */
private[exercises] final class Most {
  private val now, highest = new AtomicInteger

  def enter(): Unit = { highest.accumulateAndGet(now.incrementAndGet(), math.max(_, _)); () }
  def leave(): Unit = { now.decrementAndGet(); () }
  def most: Int = highest.get
}

package lab.exercises

import java.util.concurrent.{CountDownLatch, Executors, LinkedBlockingQueue, ThreadFactory, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import lab.machine.Settle
import lab.page.Exercise

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, ExecutionContextExecutorService, Future}
import scala.util.{Random, Try}

/** What cases are made of. */
private[exercises] trait Tools {
  type Seen = Exercise.Seen
  val Seen: Exercise.Seen.type = Exercise.Seen

  /** Of several tries the first that isn't fine; else the first. */
  private[exercises] def firstWrong(tries: Seq[Seen]): Seen = tries.find(!_.fine).getOrElse(tries.head)

  /** One of two things happened, the `expected` one if all is `fine`. */
  private[exercises] def either(fine: Boolean, expected: String, otherwise: => String): Seen =
    Seen(expected, if (fine) expected else otherwise)

  /** A number that a constant doesn't hit, both bounds included. */
  private[exercises] def some(from: Int, to: Int): Int = from + Random.nextInt(to - from + 1)

  /** A pool of `size` daemon threads for one case; it is stopped at the end, whatever its tasks are doing. */
  private[exercises] def withPool[T](size: Int)(use: ExecutionContextExecutorService => T): T = {
    val pool = Executors.newFixedThreadPool(size, daemons)
    try use(ExecutionContext.fromExecutorService(pool, _ => ()))
    finally { pool.shutdownNow(); () }
  }

  /** Daemons that are silent when the end of a case interrupts what they do. */
  private[exercises] val daemons: ThreadFactory =
    Thread.ofPlatform.daemon.name("exercise-pool").uncaughtExceptionHandler((_, _) => ()).factory

  /** Runs `body` on a thread of its own. */
  private[exercises] def onThread(body: => Unit): Unit = daemons.newThread(() => body).start()

  /** Hands each task to `run`, and hears of no failure. */
  private[exercises] def contextOf(run: Runnable => Unit): ExecutionContext = ExecutionContext.fromExecutor(run(_), _ => ())

  /** Waits until `latch` is open; what doesn't get there in time ends the case. */
  private[exercises] def reach(latch: CountDownLatch, limit: FiniteDuration = 2.seconds): Boolean =
    latch.await(limit.toMillis, TimeUnit.MILLISECONDS)

  /** What `future` has come to by now: its value, its failure's message, or `none`. */
  private[exercises] def told(future: Future[_], none: String): String =
    future.value.fold(none)(_.fold(thrown => s"failed: ${thrown.getMessage}", value => s"$value"))

  /** What `future` comes to within `limit`. */
  private[exercises] def ended[T](future: Future[T], limit: FiniteDuration = 1.second): Try[T] = Try(Await.result(future, limit))

  /** What `body` throws as well, an `InterruptedException` too, which no `Try` takes. */
  private[exercises] def caught[T](body: => T): Either[Throwable, T] =
    try Right(body)
    catch { case thrown: Throwable => Left(thrown) }
}

/** A context without threads: keeps what it is handed until somebody runs it. So a case decides what happens when. */
private[exercises] final class Held extends ExecutionContext {
  private val tasks = new LinkedBlockingQueue[Runnable]
  val reported = new LinkedBlockingQueue[Throwable]

  def size: Int = tasks.size
  def execute(task: Runnable): Unit = tasks.put(task)
  def reportFailure(cause: Throwable): Unit = reported.put(cause)

  /** Runs the oldest task on this thread; exceptions end at `reported`. False if there is none. */
  def runOne(): Boolean = Option(tasks.poll()).exists { task =>
    try task.run()
    catch { case thrown: Throwable => reportFailure(thrown) }
    true
  }

  /** Runs until nothing is left. */
  def runAll(): Unit = while (runOne()) ()
}

/** Tasks that sleep until they are woken. */
private[exercises] final class Sleepers {
  private val (inside, alarm) = (new AtomicInteger, new CountDownLatch(1))

  def sleep(): Unit = { inside.incrementAndGet(); alarm.await() }
  def asleep: Int = inside.get
  def wake(): Unit = alarm.countDown()

  /** How many sleep when nothing moves any more; a moment is left for one more than `enough`. */
  def settled(enough: Int, quiet: FiniteDuration = 1.second): Int = {
    Settle(enough, quiet = quiet)(asleep)
    Settle(enough + 1, quiet = 200.millis)(asleep)
  }
}

/** How many are at something at the same time, at most. */
private[exercises] final class Most {
  private val now, highest = new AtomicInteger

  def enter(): Unit = { highest.accumulateAndGet(now.incrementAndGet(), math.max(_, _)); () }
  def leave(): Unit = { now.decrementAndGet(); () }
  def most: Int = highest.get
}

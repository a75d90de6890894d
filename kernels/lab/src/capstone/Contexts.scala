package lab.capstone

import java.util.concurrent._
import java.util.concurrent.atomic.LongAdder

import lab.load.Nap
import lab.show.Say

import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.control.NoStackTrace

/** Builds the pools of a [[Layout]], and an `ExecutionContext` for each of its tasks. It is for the JVM of the capstone's service.
  *
  * @param loops   runs tasks on the event loops
  * @param reports how long a report of the background work takes
  */
final class Contexts(val layout: Layout, loops: Executor, val reports: FiniteDuration = Plan.usualReport) extends AutoCloseable {
  private val pools: Map[String, ThreadPoolExecutor] = layout.pools.map(pool => pool.name -> Contexts.made(pool, layout)).toMap
  private val virtual = Executors.newVirtualThreadPerTaskExecutor()
  private val ran = new ConcurrentHashMap[(String, String), LongAdder]
  private val late = new ConcurrentLinkedQueue[Long]
  private val due = ConcurrentHashMap.newKeySet[Long]()
  @volatile private var closed = false

  /** The context of application code: the callbacks that use the result of a step. */
  val app: ExecutionContext = context("app")

  /** The context that computes pages. */
  val render: ExecutionContext = context("render")

  /** The context of database calls, which block their threads. */
  val query: ExecutionContext = context("query")

  /** The context of the background work. */
  val refresh: ExecutionContext = context("refresh")

  private val timers: ScheduledThreadPoolExecutor = pools(layout.timers) match {
    case clock: ScheduledThreadPoolExecutor => clock
    case other                              => throw new IllegalStateException(s"$other can't run timers")
  }

  /** Returns the result of `call`, or fails with [[Contexts.TooLate]] when the layout's time-out is over, and then cancels the call.
    * Callbacks run on the thread that completed the call, or on the timers' thread.
    */
  def within[A](call: => CompletableFuture[A]): Future[A] = {
    val (result, under, moment) = (Promise[A](), call, System.nanoTime + layout.timeOut.toNanos)
    due.add(moment)
    val alarm = timers.schedule(
      (() => {
        if (due.remove(moment)) late.add(System.nanoTime - moment)
        if (result.tryFailure(new Contexts.TooLate(layout.timeOut))) { under.cancel(true); () }
      }): Runnable,
      layout.timeOut.toNanos,
      TimeUnit.NANOSECONDS
    )
    under.whenComplete { (value, failure) =>
      due.remove(moment)
      alarm.cancel(false)
      Option(failure).fold(result.trySuccess(value))(result.tryFailure(_))
      ()
    }
    result.future
  }

  /** Calls `body` on the timers' pool, immediately and then at a fixed rate. */
  private[capstone] def every(pause: FiniteDuration)(body: => Unit): Unit = {
    timers.scheduleAtFixedRate(() => body, 0, pause.toNanos, TimeUnit.NANOSECONDS)
    ()
  }

  /** Returns how often each task ran, by task and by the name of the thread's pool. */
  private[capstone] def steps: Map[(String, String), Long] = ran.asScala.toMap.map { case (at, count) => at -> count.sum }

  /** Returns how late each time-out came, in nanoseconds. For an overdue one that hasn't come yet, it returns how late that is by now. */
  private[capstone] def lateness: Vector[Long] = {
    val now = System.nanoTime
    late.asScala.toVector ++ due.asScala.toVector.filter(_ < now).map(now - _)
  }

  /** Ends all pools immediately. Tasks that haven't begun never run. It waits 50 ms, because a query in flight doesn't react to an
    * interrupt, and an order usually takes 40 ms.
    */
  def close(): Unit = {
    closed = true
    val (all, until) = (pools.values.toSeq :+ virtual, System.nanoTime + 50.millis.toNanos)
    all.foreach(_.shutdownNow())
    all.foreach(_.awaitTermination(until - System.nanoTime, TimeUnit.NANOSECONDS))
  }

  private def context(task: String): ExecutionContext = new ExecutionContext {
    private val executor: Executor = layout.place(task) match {
      case "loops"   => loops
      case "direct"  => _.run()
      case "virtual" => virtual
      case pool      => pools(pool)
    }
    def execute(runnable: Runnable): Unit = executor.execute { () =>
      if (!closed) {
        ran.computeIfAbsent((task, Nap.family(Thread.currentThread.getName)), _ => new LongAdder).increment()
        runnable.run()
      }
    }
    def reportFailure(cause: Throwable): Unit = System.err.println(s"$task: $cause")
  }
}

object Contexts {

  /** Thrown if the other service didn't answer in time. */
  final class TooLate(limit: FiniteDuration) extends Exception(s"no answer within ${Say.time(limit)}") with NoStackTrace

  private def made(pool: Pool, layout: Layout): ThreadPoolExecutor = {
    val threads: ThreadFactory = Thread.ofPlatform.daemon.name(s"${pool.name}-", 1).factory
    if (pool.name == layout.timers) {
      val clock = new ScheduledThreadPoolExecutor(pool.threads, threads)
      clock.setRemoveOnCancelPolicy(true)
      clock
    } else new ThreadPoolExecutor(pool.threads, pool.threads, 0, TimeUnit.SECONDS, queue(pool), threads)
  }

  private def queue(pool: Pool): BlockingQueue[Runnable] = pool.queue match {
    case 0                   => new SynchronousQueue[Runnable]
    case _ if pool.isEndless => new LinkedBlockingQueue[Runnable]
    case places              => new ArrayBlockingQueue[Runnable](places)
  }
}

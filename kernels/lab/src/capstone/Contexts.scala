package lab.capstone

import java.util.concurrent._
import java.util.concurrent.atomic.LongAdder

import lab.load.Nap
import lab.show.Say

import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.control.NoStackTrace

/** A [[Layout]] made real: its pools, and the context of each task. For the JVM of the capstone's service.
  *
  * @param loops   executes on the event loops
  * @param reports how long a report of the background work is to take
  */
final class Contexts(val layout: Layout, loops: Executor, val reports: FiniteDuration = Plan.usualReport) extends AutoCloseable {
  private val pools: Map[String, ThreadPoolExecutor] = layout.pools.map(pool => pool.name -> Contexts.made(pool, layout)).toMap
  private val virtual = Executors.newVirtualThreadPerTaskExecutor()
  private val ran = new ConcurrentHashMap[(String, String), LongAdder]
  private val late = new ConcurrentLinkedQueue[Long]
  private val due = ConcurrentHashMap.newKeySet[Long]()
  @volatile private var closed = false

  /** Application code: what follows once a step is done. */
  val app: ExecutionContext = context("app")

  /** What computes a page. */
  val render: ExecutionContext = context("render")

  /** What calls the database, and is blocked by it. */
  val query: ExecutionContext = context("query")

  /** The background work. */
  val refresh: ExecutionContext = context("refresh")

  private val timers: ScheduledThreadPoolExecutor = pools(layout.timers) match {
    case clock: ScheduledThreadPoolExecutor => clock
    case other                              => throw new IllegalStateException(s"$other keeps no timers")
  }

  /** What `call` gives, or [[Contexts.TooLate]] once the layout's time-out is over; then the call is given up. Whatever follows goes on from
    * the thread on which the call ended, or from that of the timer.
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

  /** Calls `body` on the timers' pool at once, and again and again at equal distances. */
  private[capstone] def every(pause: FiniteDuration)(body: => Unit): Unit = {
    timers.scheduleAtFixedRate(() => body, 0, pause.toNanos, TimeUnit.NANOSECONDS)
    ()
  }

  /** How often each task ran, by the pool of the thread: its name without number. */
  private[capstone] def steps: Map[(String, String), Long] = ran.asScala.toMap.map { case (at, count) => at -> count.sum }

  /** How late each time-out came, in nanoseconds; of one that is still to come, how late it is by now. */
  private[capstone] def lateness: Vector[Long] = {
    val now = System.nanoTime
    late.asScala.toVector ++ due.asScala.toVector.filter(_ < now).map(now - _)
  }

  /** Ends it at once, whoever still waits: what hasn't begun never will. A query that is under way hears no interrupt, and gets as long as one takes. */
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

  /** The other service hasn't answered in time. */
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

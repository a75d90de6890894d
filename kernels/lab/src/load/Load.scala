package lab.load

import java.util.Objects
import java.util.concurrent.{Executor, LinkedBlockingQueue, TimeUnit}
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.locks.LockSupport

import lab.chart.Chart
import lab.show.{Say, Table}

import scala.concurrent.duration._
import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.util.{Failure, Try}

/** When the calls of an open-loop run are due. */
sealed trait Arrivals
object Arrivals {

  /** At equal intervals. */
  case object Constant extends Arrivals

  /** At random, independent of each other as visitors are, with exponential gaps of the same mean. The same seed gives the same gaps. */
  final case class Poisson(seed: Long) extends Arrivals
}

/** Sends calls and measures their latency, in one of two ways:
  *
  *   - [[Load.open]]: calls arrive at a rate, whether or not earlier ones were answered, as the visitors of a site do;
  *   - [[Load.closed]]: each client waits for its answer before it calls again. A slow system then slows its own load down, and the calls
  *     that would have waited are never made: ''coordinated omission'' (Gil Tene's term).
  *
  * {{{
  * val open = Load.open(rate = 150, time = 5.seconds).run("default pool")(() => Future(handle()))
  * open.latency.percentileNanos(99)
  * }}}
  *
  * A run blocks the cell, and an interrupt ends it. Its only thread, a daemon, ends with it. Calls that are in flight then are left to the
  * caller.
  */
sealed trait Load {

  /** The length of a run, without the warm-up. */
  def time: FiniteDuration

  /** The length of the warm-up, whose calls don't count. */
  def warmUp: FiniteDuration

  /** The time after which a call counts as one without an answer. */
  def timeOut: FiniteDuration

  /** Runs the load against `call`, which must return immediately, because the one thread that calls it also keeps the arrivals in time.
    *
    * @throws java.lang.InterruptedException if the cell is interrupted
    */
  final def run(name: String)(call: () => Future[_]): LoadResult = LoadRun(this, name, call)

  /** Runs the load against a blocking `call`, each time on a thread of `executor`. A call that the executor rejects counts as an error. */
  final def runBlocking(name: String, executor: Executor)(call: () => Any): LoadResult = run(name) { () =>
    val answer = Promise[Any]()
    executor.execute(() => answer.complete(Try(call())): Unit)
    answer.future
  }

  /** Describes the load, such as "150/s (constant) for 5 s". */
  def words: String
  override def toString: String = words

  /** Calls `send` whenever a call is due, with the moment when it was due, until the run is over. */
  private[load] def drive(run: LoadRun): Unit

  private[load] final def totalNanos: Long = (warmUp + time).toNanos
}

object Load {

  /** Creates an open loop: calls at `rate` per second, for `time` after a `warmUp` that runs but isn't recorded.
    *
    * @param rate    calls per second
    * @param timeOut a call without an answer after this time counts as timed out, and enters the latencies with this value
    * @throws java.lang.IllegalArgumentException if the rate or a time isn't positive
    */
  def open(
      rate: Double,
      time: FiniteDuration,
      warmUp: FiniteDuration = Duration.Zero,
      arrivals: Arrivals = Arrivals.Constant,
      timeOut: FiniteDuration = 30.seconds
  ): Load = new OpenLoad(rate, time, warmUp, arrivals, timeOut)

  /** Creates a closed loop of `clients`, each of which calls again as soon as it is answered, or gives up after `timeOut`. Its times are
    * those of [[open]].
    *
    * @throws java.lang.IllegalArgumentException if the number of clients or a time isn't positive
    */
  def closed(clients: Int, time: FiniteDuration, warmUp: FiniteDuration = Duration.Zero, timeOut: FiniteDuration = 30.seconds): Load =
    new ClosedLoad(clients, time, warmUp, timeOut)

  /** Compares the results in a table. */
  def table(results: LoadResult*): Table = LoadResult.table(results)

  /** Draws percentile curves of several results, with their table. */
  def chart(title: String)(results: LoadResult*): Chart = LoadResult.chart(title, results)

  /** Waits until a moment of `System.nanoTime`.
    *
    * @throws java.lang.InterruptedException if the thread is interrupted
    */
  private[lab] def awaitMoment(nanos: Long): Unit = {
    var left = nanos - System.nanoTime
    while (left > 0) {
      LockSupport.parkNanos(left)
      if (Thread.interrupted()) throw new InterruptedException
      left = nanos - System.nanoTime
    }
  }

  private[load] def check(wanted: Boolean, value: String, rule: String, remedy: String): Unit =
    if (!wanted) throw new IllegalArgumentException(s"$value: $rule. $remedy")

  private[load] def checkTimes(load: Load): Unit = {
    check(load.time > Duration.Zero, s"time = ${load.time}", "a run needs a time above zero to record anything", "Try `time = 5.seconds`.")
    check(load.warmUp >= Duration.Zero, s"warmUp = ${load.warmUp}", "a warm-up can't be negative", "Leave it out to have none.")
    check(load.timeOut > Duration.Zero, s"timeOut = ${load.timeOut}", "a time-out lies above zero", "Try `timeOut = 30.seconds`.")
  }
}

private final class OpenLoad(
    rate: Double,
    val time: FiniteDuration,
    val warmUp: FiniteDuration,
    arrivals: Arrivals,
    val timeOut: FiniteDuration
) extends Load {
  Load.check(
    rate > 0 && rate <= OpenLoad.fastest,
    s"rate = $rate",
    s"calls arrive at more than 0 and at most ${Say.number(OpenLoad.fastest)} per second",
    "Try `rate = 100`."
  )
  Load.checkTimes(this)

  def words: String = s"${Say.number(rate)}/s (${if (arrivals == Arrivals.Constant) "constant" else "Poisson"}) for ${Say.time(time)}"

  /** Returns when each call is due, in nanoseconds since the beginning. */
  private[load] def offsets: Iterator[Long] = {
    val gap = 1e9 / rate
    val due = arrivals match {
      case Arrivals.Constant => Iterator.from(0).map(_ * gap)
      case Arrivals.Poisson(seed) =>
        val random = new java.util.Random(seed)
        Iterator.iterate(random.nextExponential() * gap)(_ + random.nextExponential() * gap)
    }
    due.map(_.toLong).takeWhile(_ < totalNanos)
  }

  private[load] def drive(run: LoadRun): Unit = offsets.foreach { offset =>
    val intended = run.beganNanos + offset
    Load.awaitMoment(intended)
    run.send(intended, Some(System.nanoTime - intended), () => ())
  }
}

private object OpenLoad {

  /** The highest allowed rate. One generator thread can't keep up with more. */
  val fastest = 100000.0
}

private final class ClosedLoad(clients: Int, val time: FiniteDuration, val warmUp: FiniteDuration, val timeOut: FiniteDuration)
    extends Load {
  Load.check(clients > 0, s"clients = $clients", "a closed loop needs at least one client", "Try `clients = 10`.")
  Load.checkTimes(this)

  def words: String = s"${Say.count(clients, "client")} in turn for ${Say.time(time)}"

  private[load] def drive(run: LoadRun): Unit = {
    val free = new LinkedBlockingQueue[Unit]
    (1 to clients).foreach(_ => free.put(()))
    def left: Long = run.beganNanos + totalNanos - System.nanoTime
    while (left > 0) Option(free.poll(left, TimeUnit.NANOSECONDS)).foreach(_ => run.send(System.nanoTime, None, () => free.put(())))
  }
}

/** One run: it sends calls, counts them and waits for answers. */
private[load] final class LoadRun(load: Load, name: String, call: () => Future[_]) {
  private final class Pending(val intended: Long, val recorded: Boolean, over: () => Unit) {
    private val open = new AtomicBoolean(true)

    /** Settles the call by the answer or the time-out, whichever comes first, and ignores the other. A call leaves `pending` only after it
      * was recorded. So if nothing is pending, no call is missing.
      */
    def settle(record: => Unit): Unit = if (open.getAndSet(false)) {
      if (recorded) record
      pending.remove(this)
      over()
    }
  }

  val beganNanos: Long = System.nanoTime
  private val recordFrom = beganNanos + load.warmUp.toNanos
  private val record = new LoadRecord
  private val pending = java.util.concurrent.ConcurrentHashMap.newKeySet[Pending]()

  def send(intended: Long, lag: Option[Long], over: () => Unit): Unit = {
    val one = new Pending(intended, intended >= recordFrom, over)
    if (one.recorded) record.sent(lag)
    pending.add(one)
    val answer = Try(Objects.requireNonNull(call(), "the call returned null instead of a Future")).fold(Future.failed, identity)
    answer.onComplete(settle(one, _))(ExecutionContext.parasitic)
  }

  private def settle(one: Pending, outcome: Try[Any]): Unit = {
    val now = System.nanoTime
    one.settle(outcome match {
      case _ if now - one.intended > load.timeOut.toNanos => record.timedOut(load.timeOut.toNanos)
      case Failure(cause)                                 => record.failed(cause)
      case _                                              => record.answered(now - one.intended, now)
    })
  }

  private def expire(): Unit = {
    val before = System.nanoTime - load.timeOut.toNanos
    pending.forEach(one => if (one.intended < before) one.settle(record.timedOut(load.timeOut.toNanos)))
  }

  private def progress: String = {
    val passed = System.nanoTime - beganNanos
    val where =
      if (passed > load.totalNanos) "waiting for the last answers"
      else s"${Say.nanos(passed)} of ${Say.nanos(load.totalNanos)}" + (if (passed < load.warmUp.toNanos) ", warming up" else "")
    s"$where; ${record.counts}, ${pending.size} in flight"
  }

  def result(): LoadResult = {
    @volatile var broken = Option.empty[Throwable]
    val body: Runnable = () =>
      try load.drive(this)
      catch { case thrown: Throwable => broken = Some(thrown) }
    val generator = Thread.ofPlatform.daemon.name("load-generator").unstarted(body)
    val line = LoadLine.ofThisCell
    generator.start()
    try {
      while (generator.isAlive || !pending.isEmpty) {
        if (generator.isAlive) generator.join(LoadRun.pollMillis) else TimeUnit.MILLISECONDS.sleep(LoadRun.pollMillis)
        expire()
        line.tick(s"$name: $progress")
        if (!generator.isAlive) broken.foreach(throw _)
      }
      broken.foreach(throw _)
    } finally {
      generator.interrupt()
      pending.clear()
      generator.join(1000)
    }
    val result = record.result(name, load.words, recordFrom, load.time.toNanos)
    line.end(result)
    result
  }
}

private object LoadRun {
  val pollMillis = 5L

  def apply(load: Load, name: String, call: () => Future[_]): LoadResult = new LoadRun(load, name, call).result()
}

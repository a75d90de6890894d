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

  /** At equal distances. */
  case object Constant extends Arrivals

  /** Independent of each other, as visitors are: exponential gaps with the same mean. The same seed gives the same gaps. */
  final case class Poisson(seed: Long) extends Arrivals
}

/** Sends calls and measures their latency. Two ways to send them:
  *
  *   - [[Load.open]]: calls arrive at a rate, whether or not earlier ones were answered, as the visitors of a site do;
  *   - [[Load.closed]]: so many clients each wait for their answer before they call again. Then a slow system slows its own load down, and
  *     the calls that would have waited are never made: ''coordinated omission'' (Gil Tene's term).
  *
  * {{{
  * val open = Load.open(rate = 150, time = 5.seconds).run("default pool")(() => Future(handle()))
  * open.latency.percentileNanos(99)
  * }}}
  *
  * A run blocks the cell and can be interrupted; its one thread, a daemon, ends with it. Calls that were under way then are the caller's.
  */
sealed trait Load {

  /** How long it goes on, the warm-up not counted. */
  def time: FiniteDuration

  /** How long it goes on before that, with calls that don't count. */
  def warmUp: FiniteDuration

  /** After so long a call counts as one without an answer. */
  def timeOut: FiniteDuration

  /** Runs the load against `call`, which must return at once: it's called on the one thread that keeps the arrivals in time.
    *
    * @throws java.lang.InterruptedException if the cell is interrupted
    */
  final def run(name: String)(call: () => Future[_]): LoadResult = LoadRun(this, name, call)

  /** Runs the load against a blocking `call`, each on a thread of `executor`; what an executor refuses counts as an error. */
  final def runBlocking(name: String, executor: Executor)(call: () => Any): LoadResult = run(name) { () =>
    val answer = Promise[Any]()
    executor.execute(() => answer.complete(Try(call())): Unit)
    answer.future
  }

  /** The load in words: "150/s (constant) for 5 s". */
  def words: String
  override def toString: String = words

  /** Calls `send` whenever a call is due, with the moment for which it was meant, until the run is over. */
  private[load] def drive(run: LoadRun): Unit

  private[load] final def totalNanos: Long = (warmUp + time).toNanos
}

object Load {

  /** Calls at `rate` per second, for `time` after a `warmUp` that is run but not recorded.
    *
    * @param rate    calls per second
    * @param timeOut a call without an answer after so long counts as timed out, and enters the latencies with this value
    * @throws java.lang.IllegalArgumentException for a rate or a time that isn't positive
    */
  def open(
      rate: Double,
      time: FiniteDuration,
      warmUp: FiniteDuration = Duration.Zero,
      arrivals: Arrivals = Arrivals.Constant,
      timeOut: FiniteDuration = 30.seconds
  ): Load = new OpenLoad(rate, time, warmUp, arrivals, timeOut)

  /** `clients` that each call again as soon as they are answered (or give up after `timeOut`). Times as with [[open]].
    *
    * @throws java.lang.IllegalArgumentException for a number of clients or a time that isn't positive
    */
  def closed(clients: Int, time: FiniteDuration, warmUp: FiniteDuration = Duration.Zero, timeOut: FiniteDuration = 30.seconds): Load =
    new ClosedLoad(clients, time, warmUp, timeOut)

  /** The results side by side. */
  def table(results: LoadResult*): Table = LoadResult.table(results)

  /** Percentile curves of several results, with their table. */
  def chart(title: String)(results: LoadResult*): Chart = LoadResult.chart(title, results)

  /** Waits until then, by `System.nanoTime`.
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

  /** When each call is due, in nanoseconds since the beginning. */
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

  /** Above this the one generator thread can't keep up anyway. */
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

/** One run: sends, counts, waits. */
private[load] final class LoadRun(load: Load, name: String, call: () => Future[_]) {
  private final class Pending(val intended: Long, val recorded: Boolean, over: () => Unit) {
    private val open = new AtomicBoolean(true)

    /** The first to come, the answer or the time-out, settles the call; what comes later is ignored. A call leaves `pending` only when it
      * is recorded: nobody who finds nothing pending misses one.
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
    s"$where; ${record.counts}, ${pending.size} under way"
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

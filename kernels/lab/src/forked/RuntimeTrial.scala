package lab.forked

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.{AtomicIntegerArray, AtomicLong, AtomicLongArray}

import lab.machine.{Sleepers, TaskRuntime}

import scala.concurrent.{blocking, ExecutionContext}
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** Tries a [[lab.machine.TaskRuntime]] in this JVM, and prints what it found as `trial=result`. The program of a `%%program` cell calls it:
  *
  * {{{
  * object Futures extends TaskRuntime {
  *   …
  *   def main(arguments: Array[String]): Unit = RuntimeTrial(this, arguments)
  * }
  * }}}
  *
  * Each argument is a trial. They run in turn, and a later one finds what an earlier one has left:
  *
  *   - `threads` runs tasks that say nothing, and prints how many threads of each kind of name there are then, as `workers.NAME`. Then it
  *     runs tasks that say that they block, and timers, and prints the threads again, as `threads.NAME`;
  *   - `around` prints on which threads a task goes on after a step that blocks;
  *   - `24-asleep`, `24-asleep-marked`, `24-asleep-said` start 24 tasks that sleep on their threads, and print how many sleep
  *     simultaneously, and the kinds of these threads as `24-asleep.on`. They say nothing, or sleep in Scala's `blocking`, or say it in the
  *     runtime's own way;
  *   - `4-turns` starts 4 tasks that compute for 300 ms in steps of 1 ms and yield after each, and prints how many steps each has made;
  *   - `8-piece`, `8-steps`, `8-yields`, `8-naps`, `8-said` start 40 timers, and then, before these are due, 8 tasks that take 400 ms each.
  *     They compute in one piece, or in steps that are as short as possible, or in steps of 1 ms after which they yield, or sleep on their
  *     threads without saying so, or say it. The result is how many ms each timer was late, in the timers' order. If there are no more
  *     tasks than CPUs, and they didn't all begin before the timers were due, it tries again;
  *   - `8-piece-alone`, and so on, start only one timer.
  */
object RuntimeTrial {

  /** Runs the trials and ends this JVM.
    *
    * @throws java.lang.IllegalArgumentException if there is no such trial
    */
  def apply(runtime: TaskRuntime, arguments: Array[String]): Unit = {
    if (arguments.exists(Timers.matches(_))) late(runtime, 10)(()) // the first timers are slow
    arguments.foreach {
      case "threads"        => threads(runtime)
      case "around"         => println(s"around=${runtime.around(() => kindOf(here)).mkString("; ")}")
      case trial @ Turns(n) => println(s"$trial=${turns(runtime, n.toInt).mkString(",")}")
      case trial @ Asleep(n, how) =>
        val threads = asleep(runtime, n.toInt, how)
        println(s"$trial=${threads.size}")
        println(s"$trial.on=${threads.map(kindOf).distinct.sorted.mkString("; ")}")
      case trial @ Timers(n, how, alone) =>
        val late = timers(runtime, n.toInt, how, if (alone == null) 40 else 1)
        println(s"$trial=${late.map(millis => f"$millis%.1f").mkString(",")}")
      case other => throw new IllegalArgumentException(s"$other is no trial; expected for example 8-piece")
    }
    System.out.flush()
    Runtime.getRuntime.halt(0) // some runtimes' threads would go on
  }

  private val Asleep = "(\\d+)-asleep(-marked|-said|)".r
  private val Turns = "(\\d+)-turns".r
  private val Timers = "(\\d+)-(piece|steps|yields|naps|said)(-alone)?".r

  private def threads(runtime: TaskRuntime): Unit = {
    def run(many: Int)(submit: (() => Unit) => Unit): Unit = {
      val ended = new CountDownLatch(many)
      (1 to many).foreach(_ => submit(() => ended.countDown()))
      ended.await()
    }
    run(60)(end => runtime.start { () => Thread.sleep(5); end() })
    tell("workers")
    run(20)(end => runtime.block { () => Thread.sleep(5); end() })
    run(20)(runtime.later(20)(_))
    tell("threads")
  }

  private def tell(what: String): Unit = {
    val names = Thread.getAllStackTraces.keySet.asScala.toSeq.map(_.getName).filterNot(ofTheJvm(_))
    val kinds = names.groupBy(name => kindOf(name).replaceAll("[^\\w.-]+", "_")).toSeq.sortBy(_._1)
    kinds.foreach { case (kind, all) => println(s"$what.$kind=${all.size}") }
  }

  /** Returns the names of the threads that sleep simultaneously. */
  private def asleep(runtime: TaskRuntime, count: Int, how: String): Seq[String] = {
    val run: (() => Unit) => Unit = if (how == "-said") runtime.block else runtime.start
    val pool = ExecutionContext.fromExecutor(task => run(() => task.run()))
    val sleepers = Sleepers(count, pool)(nap => if (how == "-marked") blocking(nap) else nap)
    try sleepers.threads.map(thread => if (thread.isVirtual) "virtual" else thread.getName)
    finally sleepers.wake()
  }

  private def turns(runtime: TaskRuntime, count: Int): Seq[Int] = {
    val (until, made, ended) = (300.millis.fromNow, new AtomicIntegerArray(count), new CountDownLatch(count))
    (0 until count).foreach { n =>
      runtime.repeat(yields = true) { () =>
        spin(1.milli.fromNow)
        made.incrementAndGet(n)
        until.hasTimeLeft() || { ended.countDown(); false }
      }
    }
    ended.await()
    (0 until count).map(made.get)
  }

  private def timers(runtime: TaskRuntime, count: Int, how: String, timers: Int): Seq[Double] = {
    // Code that runs for the first time is slow: the tasks have to begin before the timers are due, and in steps, these have to be short.
    Seq.fill(4)(new Task(runtime, if (how == "steps") 150.millis else 5.millis, how)).foreach(_.ended.await())
    // A sleeping worker isn't always woken. If two tasks run on one worker, one after the other, this isn't a trial of two.
    val needed = if (count <= Runtime.getRuntime.availableProcessors) count else 1
    def tries = Iterator.fill(20) {
      var running = Seq.empty[Task]
      val (due, found) = late(runtime, timers) { running = Seq.fill(count)(new Task(runtime, 400.millis, how)) }
      running.foreach(_.ended.await())
      Option.when(running.count(_.began.get < due) >= needed)(found)
    }
    tries.flatten
      .nextOption()
      .getOrElse(
        throw new IllegalStateException("the tasks never began before the timers were due, which is 60 ms later: this machine is too busy")
      )
  }

  /** Starts timers, calls `meanwhile` before they are due, and returns when the first was due, by `System.nanoTime`, and how many ms each was
    * late.
    */
  private def late(runtime: TaskRuntime, count: Int)(meanwhile: => Unit): (Long, Seq[Double]) = {
    val (set, fired, ended) = (new AtomicLongArray(count), new AtomicLongArray(count), new CountDownLatch(count))
    (0 until count).foreach { n =>
      set.set(n, System.nanoTime)
      runtime.later(100) { () => fired.set(n, System.nanoTime); ended.countDown() }
    }
    TimeUnit.MILLISECONDS.sleep(40)
    meanwhile
    ended.await()
    (set.get(0) + 100.millis.toNanos, (0 until count).map(n => (fired.get(n) - set.get(n)) / 1e6 - 100))
  }

  private def spin(until: Deadline): Unit = while (until.hasTimeLeft()) {}

  /** A task that takes a while from now on. */
  private final class Task(runtime: TaskRuntime, time: FiniteDuration, how: String) {
    val ended = new CountDownLatch(1)

    /** When it began, by `System.nanoTime`. */
    val began = new AtomicLong(Long.MaxValue)
    private val until = time.fromNow

    how match {
      case "piece"  => runtime.start { () => begin(); spin(until); ended.countDown() }
      case "steps"  => runtime.repeat(yields = false)(() => step())
      case "yields" => runtime.repeat(yields = true) { () => spin(1.milli.fromNow); step() }
      case "naps"   => runtime.start(() => nap())
      case "said"   => runtime.block(() => nap())
    }

    private def step(): Boolean = { begin(); until.hasTimeLeft() || { ended.countDown(); false } }

    private def begin(): Unit = if (began.get == Long.MaxValue) began.set(System.nanoTime)
    private def nap(): Unit = { begin(); Thread.sleep(time.toMillis); ended.countDown() }
  }

  /** The name of this thread, or of the platform thread that carries it. */
  private def here: String =
    if (Thread.currentThread.isVirtual) Thread.currentThread.toString.split('@').last else Thread.currentThread.getName

  private def kindOf(name: String): String = name.replaceAll("[-:]?\\d+", "")

  private val ofTheJvm =
    Set(
      "main",
      "kernel-watch",
      "Reference Handler",
      "Finalizer",
      "Signal Dispatcher",
      "Common-Cleaner",
      "Notification Thread",
      "Attach Listener"
    )
}

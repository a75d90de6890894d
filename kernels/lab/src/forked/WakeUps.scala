package lab.forked

import java.nio.file.{Files, Path}
import java.util.concurrent.{ConcurrentLinkedQueue, Executors, TimeUnit}

import lab.Program

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, ExecutionContextExecutor, Future}
import scala.jdk.CollectionConverters._
import scala.util.Try

/** How long does a chain of `map`s on a completed Future take if it has one step, and if it has a hundred? What the first step costs
  * already is the price of waking threads: the pool's for the first step, the caller's for the result. And how often do these threads leave
  * their CPU meanwhile? Linux counts it, in `/proc/self/task/THREAD/status`: `voluntary_ctxt_switches` when a thread goes to sleep,
  * `nonvoluntary_ctxt_switches` when another takes its place.
  *
  * Arguments: where the threads run, then the contexts. `idle`: wherever the operating system puts them; `pinned`: all on one CPU (by
  * `taskset`); `busy`: beside threads that burn all CPUs but one. Contexts: `direct`, `global`, `single` (a pool of one thread) and
  * `spinning` (one thread that never sleeps; it burns a CPU from its first round on, so give it a JVM of its own). Prints
  * `single.1.micros=`, `single.100.micros=` and, where they can be counted, `.switches=` of the pool's threads and the caller together; all
  * per chain, as the median of several rounds.
  */
object WakeUps extends Program {
  private val lengths = Seq(1, 100)
  private val rounds = 5
  private val round = 40.millis
  private val warmUp = 200.millis

  def main(arguments: Array[String]): Unit = {
    if (arguments.head == "busy")
      (1 to (Runtime.getRuntime.availableProcessors - 1).max(1)).foreach(n => daemon(s"busy-$n")(while (true) Thread.onSpinWait()))
    val chains = for { name <- arguments.toVector.tail; of = context(name); steps <- lengths } yield (s"$name.$steps", of, steps)
    val caller = daemon("caller") {
      chains.foreach { case (_, context, steps) => measure(steps, warmUp)(context) }
      // Only now, or the compilers would compete for this one CPU.
      if (arguments.head == "pinned") pin()
      val measured = for { _ <- 1 to rounds; (name, context, steps) <- chains } yield name -> measure(steps, round)(context)
      chains.foreach { case (name, _, _) =>
        val of = measured.collect { case (`name`, one) => one }
        println(s"$name.micros=${median(of.map(_._1))}")
        if (of.forall(_._2.isDefined)) println(s"$name.switches=${median(of.flatMap(_._2))}")
      }
    }
    caller.join()
  }

  /** Microseconds and switches, per chain. */
  private def measure(steps: Int, length: FiniteDuration)(implicit context: ExecutionContext): (Double, Option[Double]) = {
    val (switched, began) = (switches(), System.nanoTime)
    var chains = 0
    while (System.nanoTime - began < length.toNanos) { chain(steps); chains += 1 }
    val micros = (System.nanoTime - began) / 1e3 / chains
    (micros, for { before <- switched; after <- switches() } yield (after - before).toDouble / chains)
  }

  private def chain(steps: Int)(implicit context: ExecutionContext): Int = {
    var future = Future.successful(0)
    var step = 0
    while (step < steps) { future = future.map(_ + 1); step += 1 }
    Await.result(future, 10.seconds)
  }

  private def context(name: String): ExecutionContext = name match {
    case "direct"   => Direct
    case "global"   => ExecutionContext.global
    case "single"   => ExecutionContext.fromExecutor(Executors.newSingleThreadExecutor(task => unstarted("single", task)))
    case "spinning" => new Spinning
  }

  private final class Spinning extends ExecutionContextExecutor {
    private val queue = new ConcurrentLinkedQueue[Runnable]
    daemon("spinning")(while (true) queue.poll() match {
      case null => Thread.onSpinWait()
      case task => task.run()
    })
    def execute(task: Runnable): Unit = { queue.add(task); () }
    def reportFailure(cause: Throwable): Unit = cause.printStackTrace()
  }

  /** Of the caller and the pools' threads; Linux keeps 15 letters of a thread's name. */
  private def switches(): Option[Long] = Option.when(Files.isDirectory(tasks)) {
    val all = Files.list(tasks)
    // A thread may end between being listed and being read.
    try
      all.iterator.asScala
        .flatMap(task => Try(if (ours(lines(task, "comm").head)) lines(task, "status") else Vector.empty).getOrElse(Vector.empty))
        .collect { case Switches(n) => n.toLong }
        .sum
    finally all.close()
  }
  private val tasks = Path.of("/proc/self/task")
  private val ours = Set("caller", "single", "spinning", "scala-execution")
  private val Switches = "(?:non)?voluntary_ctxt_switches:\\s+(\\d+)".r
  private def lines(task: Path, file: String): Vector[String] = Files.readAllLines(task.resolve(file)).asScala.toVector

  /** Pins every thread of this process to the CPU that it is on. */
  private def pin(): Unit = {
    val allowed = Files.readAllLines(Path.of("/proc/self/status")).asScala.collectFirst { case Allowed(first) => first }.getOrElse("0")
    val done = new ProcessBuilder("taskset", "-a", "-c", "-p", allowed, s"${ProcessHandle.current.pid}").redirectErrorStream(true).start()
    if (!done.waitFor(5, TimeUnit.SECONDS) || done.exitValue != 0)
      throw new IllegalStateException(s"taskset: ${new String(done.getInputStream.readAllBytes)}")
  }
  private val Allowed = "Cpus_allowed_list:\\s+(\\d+).*".r

  private def median(values: Seq[Double]): Double = values.sorted.apply(values.size / 2)

  private def unstarted(name: String, task: Runnable): Thread = {
    val thread = new Thread(task, name)
    thread.setDaemon(true)
    thread
  }
  private def daemon(name: String)(body: => Unit): Thread = {
    val thread = unstarted(name, () => body)
    thread.start()
    thread
  }
}

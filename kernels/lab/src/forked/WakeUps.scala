package lab.forked

import java.nio.file.{Files, Path}
import java.util.concurrent.{ConcurrentLinkedQueue, Executors, TimeUnit}

import lab.Program

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, ExecutionContextExecutor, Future}
import scala.jdk.CollectionConverters._
import scala.util.Try

/** How long does a chain of 100 `map`s on a completed Future take, and how often do the pool's threads go to sleep meanwhile? Each sleep is a wake-up to be paid
  * later. Linux counts them: `voluntary_ctxt_switches` in `/proc/self/task/THREAD/status`.
  *
  * Arguments: where the threads run, then the contexts. `idle`: wherever the operating system puts them; `pinned`: all on one CPU (by `taskset`); `busy`: beside
  * threads that burn all CPUs but one. Contexts: `direct`, `global`, `single` (a pool of one thread) and `spinning` (one thread that never sleeps). Prints
  * `single.micros=` and, where they can be counted, `single.sleeps=`, both per chain and as the median of several rounds. `spinning` burns a CPU from its first
  * round on: give it a JVM of its own.
  */
object WakeUps extends Program {
  private val steps = 100
  private val rounds = 5
  private val round = 80.millis

  def main(arguments: Array[String]): Unit = {
    arguments.head match {
      case "pinned" => pin()
      case "busy" =>
        (1 to (Runtime.getRuntime.availableProcessors - 1).max(1)).foreach(n => daemon(s"busy-$n")(while (true) Thread.onSpinWait()))
      case _ => ()
    }
    val contexts = arguments.toVector.tail.map(name => name -> context(name))
    val caller = daemon("caller") {
      val measured = for { _ <- 0 to rounds; (name, context) <- contexts } yield name -> measure(context)
      contexts.foreach { case (name, _) =>
        // The first round is the warm-up.
        val of = measured.collect { case (`name`, one) => one }.drop(1)
        println(s"$name.micros=${median(of.map(_._1))}")
        if (of.forall(_._2.isDefined)) println(s"$name.sleeps=${median(of.flatMap(_._2))}")
      }
    }
    caller.join()
  }

  /** Microseconds and sleeps of the pool's threads, per chain. */
  private def measure(context: ExecutionContext): (Double, Option[Double]) = {
    val (slept, began) = (sleeps(), System.nanoTime)
    var chains = 0
    while (System.nanoTime - began < round.toNanos) { chain(context); chains += 1 }
    val micros = (System.nanoTime - began) / 1e3 / chains
    (micros, for { before <- slept; after <- sleeps() } yield (after - before).toDouble / chains)
  }

  private def chain(implicit context: ExecutionContext): Int = {
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

  /** Of the pools' threads; Linux keeps 15 letters of a thread's name. */
  private def sleeps(): Option[Long] = Option.when(Files.isDirectory(tasks)) {
    val all = Files.list(tasks)
    // A thread may end between being listed and being read.
    try
      all.iterator.asScala
        .flatMap(task => Try(Option.when(pools(lines(task, "comm").head))(lines(task, "status"))).toOption.flatten)
        .flatMap(_.collectFirst { case Sleeps(n) => n.toLong })
        .sum
    finally all.close()
  }
  private val tasks = Path.of("/proc/self/task")
  private val pools = Set("single", "spinning", "scala-execution")
  private val Sleeps = "voluntary_ctxt_switches:\\s+(\\d+)".r
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

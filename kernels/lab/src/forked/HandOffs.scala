package lab.forked

import java.io.IOException
import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}
import java.util.concurrent.{Executors, TimeUnit}

import com.sun.management.OperatingSystemMXBean

import lab.process.{Forked, Program}

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.jdk.CollectionConverters._
import scala.util.{Random, Try, Using}

/** Measures a chain of a hundred `map`s on a completed Future. None of them, the first or all are submitted to a pool, and the others run
  * directly. It compares a caller who waits for each chain with one who begins the next chain immediately. The first one notices the time
  * in which sleeping threads are woken, and the second one the work. It also shows which thread ran the last step, and how often threads
  * leave their CPUs or CPUs go idle.
  *
  * Arguments:
  *  - where: `idle` leaves the threads to the operating system; `awake` runs a program on each CPU that yields immediately but keeps the
  *    CPU from going idle (`chrt --idle`); `pinned` puts all threads on one CPU (`taskset`). It refuses `awake` if the JVM may use fewer
  *    CPUs than there are, because that is usually a quota, which such programs would use up;
  *  - the number of rounds. Each round measures every variant once, in a new random order;
  *  - `waits`, or `both` to add a caller who continues immediately;
  *  - contexts: `direct`, `global`, `single` (a pool of one thread).
  *
  * It prints for `direct.none.waits`, `single.one.waits`, `single.all.continues` and so on, all per chain:
  *  - `.micros=`, clock time, one number per round, separated by commas;
  *  - `.switches=`, of pool and caller together, and `.halts=`, how often a CPU of this machine went idle, in the same form, if Linux
  *    counts them;
  *  - `.cpu=`, µs of CPU time of this whole JVM over all rounds (Linux often counts it in ticks of 10 ms, so a single round says little);
  *  - `.caller=`, the share of chains whose last step the caller ran.
  *
  * If the system doesn't allow `awake` or `pinned`, the exit code is [[lab.process.Forked.notHere]].
  *
  * Other programs have the least influence on CPU time. Clock time depends on how often a CPU had gone idle.
  */
object HandOffs extends Program {
  private val round = 20.millis
  private val warmUp = 200.millis

  private final case class Way(name: String, pool: ExecutionContext, handed: Int, inFlight: Int)
  private final case class Cost(
      chains: Int,
      micros: Double,
      cpuMicros: Double,
      onCaller: Int,
      switches: Option[Long],
      halts: Option[Long]
  )

  def main(arguments: Array[String]): Unit = {
    val (where, rounds, callers) = (arguments(0), arguments(1), arguments(2))
    val inFlight = Seq("waits" -> 1) ++ Option.when(callers == "both")("continues" -> 100)
    val ways = for {
      name <- arguments.toVector.drop(3)
      pool = context(name)
      (many, n) <- if (name == "direct") Seq("none" -> 0) else Seq("one" -> 1, "all" -> 100)
      (next, k) <- inFlight
    } yield Way(s"$name.$many.$next", pool, n, k)
    val awake = if (where == "awake") orNotHere(keepAwake()) else Nil
    @volatile var finished = false
    // A separate thread, because the main one has the same name in the system, `java`, as another.
    val caller = daemon("caller") {
      ways.foreach(cost(_, warmUp))
      // Not earlier, or the compilers would compete for this one CPU.
      if (where == "pinned") orNotHere(command("taskset", "-a", "-c", "-p", s"${allowed.head}", s"${ProcessHandle.current.pid}"))
      val measured = (1 to rounds.toInt).flatMap(_ => Random.shuffle(ways).map(way => way.name -> cost(way, round))).groupMap(_._1)(_._2)
      ways.foreach(way => tell(way.name, measured(way.name)))
      finished = true
    }
    try caller.join()
    finally awake.foreach(_.destroyForcibly().waitFor())
    if (!finished) sys.exit(1) // the thread has already printed the reason
  }

  private def tell(way: String, of: Seq[Cost]): Unit = {
    val chains = of.map(_.chains).sum.toDouble
    def perChain(counted: Cost => Option[Long]): Option[String] =
      Option.when(of.forall(counted(_).isDefined))(of.map(one => counted(one).get.toDouble / one.chains).mkString(","))
    println(s"$way.micros=${of.map(one => one.micros / one.chains).mkString(",")}")
    println(s"$way.cpu=${of.map(_.cpuMicros).sum / chains}")
    println(s"$way.caller=${of.map(_.onCaller).sum / chains}")
    perChain(_.switches).foreach(all => println(s"$way.switches=$all"))
    perChain(_.halts).foreach(all => println(s"$way.halts=$all"))
  }

  private def cost(way: Way, length: FiniteDuration): Cost = {
    val (switchesBefore, haltsBefore) = (switches(), halts())
    val (began, cpuBegan) = (System.nanoTime, system.getProcessCpuTime)
    var (chains, onCaller) = (0, 0)
    // At least once. On a busy machine a round may be over before it begins.
    while (chains == 0 || System.nanoTime - began < length.toNanos) {
      val running = Vector.fill(way.inFlight)(chain(way))
      onCaller += running.count(Await.result(_, 10.seconds) eq Thread.currentThread)
      chains += way.inFlight
    }
    val (micros, cpuMicros) = ((System.nanoTime - began) / 1e3, (system.getProcessCpuTime - cpuBegan) / 1e3)
    def since(before: Option[Long], after: Option[Long]) = for { from <- before; to <- after } yield to - from
    Cost(chains, micros, cpuMicros, onCaller, since(switchesBefore, switches()), since(haltsBefore, halts()))
  }

  /** Runs a chain, and returns the thread that ran its last step. */
  private def chain(way: Way): Future[Thread] =
    (1 to 100).foldLeft(Future.successful[Thread](null))((last, n) =>
      last.map(_ => Thread.currentThread)(if (n <= way.handed) way.pool else Direct)
    )

  private def context(name: String): ExecutionContext = name match {
    case "direct" => Direct
    case "global" => ExecutionContext.global
    case "single" => ExecutionContext.fromExecutor(Executors.newSingleThreadExecutor(task => unstarted("single", task)))
  }

  /** Returns the context switches of the caller and the pools' threads, from `/proc/self/task/THREAD/status`. Linux keeps 15 letters of a
    * thread's name.
    */
  private def switches(): Option[Long] = Option.when(Files.isDirectory(tasks)) {
    val all = Files.list(tasks)
    // A thread may end after it was listed and before it is read.
    try
      all.iterator.asScala
        .flatMap(task => Try(if (ours(lines(task.resolve("comm")).head)) lines(task.resolve("status")) else Vector.empty).getOrElse(Nil))
        .collect { case Switches(n) => n.toLong }
        .sum
    finally all.close()
  }
  private val tasks = Path.of("/proc/self/task")
  private val ours = Set("caller", "single", "scala-execution")
  private val Switches = "(?:non)?voluntary_ctxt_switches:\\s+(\\d+)".r

  /** Returns how often a CPU has gone idle so far. The state `POLL` doesn't count, because the CPU stays awake in it. */
  private def halts(): Option[Long] =
    Option.when(idleStates.nonEmpty)(idleStates.map(state => lines(state.resolve("usage")).head.toLong).sum)
  private val idleStates: Seq[Path] = Try {
    for {
      cpu <- listed(Path.of("/sys/devices/system/cpu")) if cpu.getFileName.toString.matches("cpu\\d+")
      state <- Try(listed(cpu.resolve("cpuidle"))).getOrElse(Nil) if lines(state.resolve("name")).head != "POLL"
    } yield state
  }.getOrElse(Nil)

  /** Starts a program of the lowest priority on each CPU, which runs only if nothing else wants to. It ends by itself when this JVM has
    * ended.
    */
  private def keepAwake(): Seq[Process] = {
    if (Runtime.getRuntime.availableProcessors < allowed.size)
      throw new IllegalStateException(
        s"the JVM may use ${Runtime.getRuntime.availableProcessors} of ${allowed.size} CPUs; if that is a quota, busy CPUs would use it up"
      )
    val burn = "while kill -0 $0 2>/dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done"
    allowed.map { cpu =>
      new ProcessBuilder("taskset", "-c", s"$cpu", "chrt", "--idle", "0", "sh", "-c", burn, s"${ProcessHandle.current.pid}").start()
    }
  }

  /** The CPUs on which this process may run, from a list such as `0-3,8`. */
  private lazy val allowed: Seq[Int] = lines(Path.of("/proc/self/status"))
    .collectFirst { case Allowed(list) => list }
    .getOrElse("0")
    .split(",")
    .toSeq
    .flatMap { part =>
      val ends = part.split("-").map(_.toInt)
      ends.head to ends.last
    }
  private val Allowed = "Cpus_allowed_list:\\s+(\\S+)".r

  /** Ends this JVM if the system refuses what `act` asks for. */
  private def orNotHere[A](act: => A): A =
    try act
    catch {
      case refused @ (_: IOException | _: IllegalStateException) =>
        System.err.println(refused.getMessage)
        sys.exit(Forked.notHere)
    }

  private def command(words: String*): Unit = {
    val done = new ProcessBuilder(words: _*).redirectErrorStream(true).start()
    if (!done.waitFor(5, TimeUnit.SECONDS) || done.exitValue != 0)
      throw new IllegalStateException(s"${words.head}: ${new String(done.getInputStream.readAllBytes)}")
  }

  private def lines(file: Path): Vector[String] = Files.readAllLines(file).asScala.toVector
  private def listed(folder: Path): Seq[Path] = Using.resource(Files.list(folder))(_.iterator.asScala.toVector)

  private def daemon(name: String)(body: => Unit): Thread = {
    val thread = unstarted(name, () => body)
    thread.start()
    thread
  }
  private def unstarted(name: String, task: Runnable): Thread = {
    val thread = new Thread(task, name)
    thread.setDaemon(true)
    thread
  }

  private val system = ManagementFactory.getOperatingSystemMXBean.asInstanceOf[OperatingSystemMXBean]
}

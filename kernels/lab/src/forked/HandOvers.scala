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

/** A chain of a hundred `map`s on a completed Future of which none, the first or all are handed over to a pool, the others run directly.
  * What does a caller pay who waits for each chain, and what one who begins the next at once? The first sees the time in which sleeping
  * threads are woken; the second what there is to do. Who ran the last step? And how often does a thread leave its CPU meanwhile, or a CPU
  * fall asleep?
  *
  * Arguments:
  *  - where: `idle`, wherever the operating system puts the threads; `awake`, beside a program on each CPU that gives way at once but keeps
  *    it from sleeping (`chrt --idle`; refused where the JVM may use fewer CPUs than it could, since that is most often a quota, which they
  *    would burn); `pinned`, all threads on one CPU (`taskset`);
  *  - the number of rounds, in each of which every way comes once, in an order drawn anew;
  *  - `waits`, or `both` for callers who continue at once, too;
  *  - contexts: `direct`, `global`, `single` (a pool of one thread).
  *
  * Prints for `direct.none.waits`, `single.one.waits`, `single.all.continues` and so on, all per chain: `.micros=`, clock time, a number a
  * round with commas, and so `.switches=`, of pool and caller together, and `.halts=`, how often a CPU of this machine went idle, both where
  * Linux counts them; `.cpu=`, µs of CPU time of this whole JVM over all rounds (Linux often counts it in ticks of 10 ms, so a round alone
  * says little); `.caller=`, the share of chains whose last step the caller ran.
  *
  * Where the system doesn't allow `awake` or `pinned`, the exit code is [[lab.process.Forked.notHere]].
  *
  * CPU time changes least beside other programs; clock time is decided by how often a CPU had gone to sleep.
  */
object HandOvers extends Program {
  private val round = 40.millis
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
    // A thread of its own: the main one shares its name in the system, `java`, with another.
    val caller = daemon("caller") {
      ways.foreach(cost(_, warmUp))
      // Only now, or the compilers would compete for this one CPU.
      if (where == "pinned") orNotHere(command("taskset", "-a", "-c", "-p", s"${allowed.head}", s"${ProcessHandle.current.pid}"))
      val measured = (1 to rounds.toInt).flatMap(_ => Random.shuffle(ways).map(way => way.name -> cost(way, round))).groupMap(_._1)(_._2)
      ways.foreach(way => tell(way.name, measured(way.name)))
      finished = true
    }
    try caller.join()
    finally awake.foreach(_.destroyForcibly().waitFor())
    if (!finished) sys.exit(1) // why, the thread has told already
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
    // Once at least: on a busy machine a round may be over before it begins.
    while (chains == 0 || System.nanoTime - began < length.toNanos) {
      val running = Vector.fill(way.inFlight)(chain(way))
      onCaller += running.count(Await.result(_, 10.seconds) eq Thread.currentThread)
      chains += way.inFlight
    }
    val (micros, cpuMicros) = ((System.nanoTime - began) / 1e3, (system.getProcessCpuTime - cpuBegan) / 1e3)
    def since(before: Option[Long], after: Option[Long]) = for { from <- before; to <- after } yield to - from
    Cost(chains, micros, cpuMicros, onCaller, since(switchesBefore, switches()), since(haltsBefore, halts()))
  }

  /** Its result is the thread that ran the last step. */
  private def chain(way: Way): Future[Thread] =
    (1 to 100).foldLeft(Future.successful[Thread](null))((last, n) =>
      last.map(_ => Thread.currentThread)(if (n <= way.handed) way.pool else Direct)
    )

  private def context(name: String): ExecutionContext = name match {
    case "direct" => Direct
    case "global" => ExecutionContext.global
    case "single" => ExecutionContext.fromExecutor(Executors.newSingleThreadExecutor(task => unstarted("single", task)))
  }

  /** Of the caller and the pools' threads, from `/proc/self/task/THREAD/status`; Linux keeps 15 letters of a thread's name. */
  private def switches(): Option[Long] = Option.when(Files.isDirectory(tasks)) {
    val all = Files.list(tasks)
    // A thread may end between being listed and being read.
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

  /** How often a CPU has gone idle so far; the state `POLL` doesn't count, in it a CPU looks around awake. */
  private def halts(): Option[Long] =
    Option.when(idleStates.nonEmpty)(idleStates.map(state => lines(state.resolve("usage")).head.toLong).sum)
  private val idleStates: Seq[Path] = Try {
    for {
      cpu <- listed(Path.of("/sys/devices/system/cpu")) if cpu.getFileName.toString.matches("cpu\\d+")
      state <- Try(listed(cpu.resolve("cpuidle"))).getOrElse(Nil) if lines(state.resolve("name")).head != "POLL"
    } yield state
  }.getOrElse(Nil)

  /** On each CPU a program of the lowest kind, which runs where nothing else wants to. It ends by itself if this JVM is gone. */
  private def keepAwake(): Seq[Process] = {
    if (Runtime.getRuntime.availableProcessors < allowed.size)
      throw new IllegalStateException(
        s"the JVM may use ${Runtime.getRuntime.availableProcessors} of ${allowed.size} CPUs; if that is a quota, burning CPUs would use it up"
      )
    val burn = "while kill -0 $0 2>/dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done"
    allowed.map { cpu =>
      new ProcessBuilder("taskset", "-c", s"$cpu", "chrt", "--idle", "0", "sh", "-c", burn, s"${ProcessHandle.current.pid}").start()
    }
  }

  /** The CPUs that this process may run on, from `0-3,8` and the like. */
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

  /** Ends this JVM if the system refuses what `act` asks of it. */
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

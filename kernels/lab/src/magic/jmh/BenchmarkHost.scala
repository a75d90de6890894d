package lab.magic.jmh

import java.io.ObjectInputFilter
import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}
import java.util.concurrent.TimeUnit
import java.util.regex.Pattern
import java.util.{Collection => JavaCollection, Map => JavaMap}

import lab.machine.Neighbours
import lab.measure.Gate
import lab.process.Program

import scala.jdk.CollectionConverters._
import scala.util.Random

/** Runs JMH, which forks the JVMs that measure. Its forks end with it, and it ends with the kernel. It prints what benchmarks and JMH's
  * runner print, and between these lines its progress ([[BenchmarkProgress]]).
  *
  * JMH itself runs the forks of a benchmark one after the other. Here the forks are rounds: each round runs one fork of every benchmark,
  * with each of its modes and the values of its parameters, in a new random order. A fork is run again, whatever it returned, if other
  * programs used the CPUs during it. If the source says how many forks there are, or if there are none, JMH works in its own way.
  *
  * Arguments: the class path of the forks, a folder for temporary files, the file for the scores, then JMH's own. JMH passes the JVM
  * options of its own command line on to the forks, so settings for this process alone are set here. Only this process has JMH on its class
  * path, so JMH is called by name.
  */
private[jmh] object BenchmarkHost extends Program {

  def main(arguments: Array[String]): Unit = {
    System.setProperty("java.class.path", arguments(0))
    System.setProperty("java.io.tmpdir", arguments(1))
    // One lock for the whole machine would make one of two notebooks fail; whether to run both is the reader's choice.
    System.setProperty("jmh.ignoreLock", "true")
    ObjectInputFilter.Config.setSerialFilter(admitted)
    try measure(arguments(2), arguments.drop(3))
    catch {
      case failed: Exception =>
        println(Option(failed.getMessage).getOrElse(s"$failed"))
        System.exit(1)
    }
  }

  /** The classes that the forks may send to this process. They send Java objects to a port of the loopback interface, to which every user
    * of the machine can send objects, too.
    */
  private[jmh] val admitted: ObjectInputFilter = ObjectInputFilter.Config.createFilter("org.openjdk.jmh.**;java.base/*;!*")

  private def measure(scores: String, words: Array[String]): Unit = {
    val options = called(jmh("runner.options.CommandLineOptions").getConstructor(classOf[Array[String]]).newInstance(words))
    val single = benchmarks(options)
    val rounds = number(ask(ask(options, "getForkCount"), "orElse", Int.box(0)))
    val progress = new Progress(single.size * rounds.max(1), rounds)
    // This also runs without any benchmark: JMH then says that none matches.
    val results = if (rounds == 0 || single.isEmpty) run(options, progress) else interleaved(single, rounds, progress)
    val kind = jmh("results.format.ResultFormatType")
    val file = jmh("results.format.ResultFormatFactory").getMethod("getInstance", kind, classOf[String])
    val _ = ask(file.invoke(null, kind.getField("JSON").get(null), scores), "writeOut", results.asJava)
    progress.end()
  }

  private def run(options: AnyRef, progress: Progress): Seq[AnyRef] = {
    val runner = jmh("runner.Runner").getConstructor(jmh("runner.options.Options"), jmh("runner.format.OutputFormat"))
    all(ask(called(runner.newInstance(options, format(progress))), "run"))
  }

  /** Returns the results of each benchmark, with all its forks, in the order of `single`. */
  private def interleaved(single: Seq[AnyRef], rounds: Int, progress: Progress): Seq[AnyRef] = {
    val gate = new Gate(single.size * rounds, "fork")
    val forks = Seq.fill(rounds)(Random.shuffle(single)).flatten.zipWithIndex.map { case (one, done) =>
      one -> gate.next {
        progress.beginFork(1 + done / single.size, done, gate.words)
        val watch = Neighbours.watch()
        (run(one, progress).head, watch.disturbed)
      }
    }
    progress.beginFork(rounds, forks.size, gate.words)
    single.map { one =>
      val own = forks.collect { case (`one`, result) => result }
      val make = jmh("results.RunResult").getConstructors.head
      make.newInstance(ask(own.head, "getParams"), own.flatMap(fork => all(ask(fork, "getBenchmarkResults"))).asJava).asInstanceOf[AnyRef]
    }
  }

  /** Returns the options that run one fork of one benchmark alone, for each benchmark, mode and combination of parameters. */
  private def benchmarks(options: AnyRef): Seq[AnyRef] = {
    val list = called(jmh("runner.BenchmarkList").getMethod("defaultList").invoke(null))
    val silent = format((_, _, _) => null)
    val found = all(ask(list, "find", silent, ask(options, "getIncludes"), ask(options, "getExcludes")))
    val names = found.map(ask(_, "getUsername")).distinct
    val asked = all(ask(options, "getBenchModes"))
    for {
      entry <- if (asked.isEmpty) found else found.distinctBy(ask(_, "getUsername"))
      mode <- (if (asked.isEmpty) Seq(ask(entry, "getMode")) else asked).flatMap(everyMode)
      params <- combinations(ask(ask(entry, "getParams"), "orElse", JavaMap.of()), options)
    } yield {
      val builder = called(jmh("runner.options.OptionsBuilder").getConstructor().newInstance())
      ask(builder, "parent", options)
      // A pattern of the parent also includes others.
      ask(builder, "include", exactly(ask(entry, "getUsername")))
      names.filter(_ != ask(entry, "getUsername")).foreach(other => ask(builder, "exclude", exactly(other)))
      ask(builder, "mode", mode)
      params.foreach { case (name, value) => ask(builder, "param", name, Array(value)) }
      ask(builder, "forks", Int.box(1))
      ask(builder, "build")
    }
  }

  private def exactly(name: AnyRef): String = s"^${Pattern.quote(s"$name")}$$"

  private def everyMode(mode: AnyRef): Seq[AnyRef] =
    if (s"$mode" == "All") jmh("annotations.Mode").getEnumConstants.toSeq.filterNot(_ == mode) else Seq(mode)

  /** Returns every combination of the parameters' values. A parameter without values is left to JMH, which refuses it. */
  private def combinations(params: AnyRef, options: AnyRef): Seq[Seq[(String, String)]] =
    params.asInstanceOf[JavaMap[String, Array[String]]].asScala.toSeq.foldLeft(Seq(Seq.empty[(String, String)])) {
      case (before, (name, values)) =>
        val own = all(ask(ask(options, "getParameter", name), "orElse", values.toSeq.asJava)).map(_.toString)
        if (own.isEmpty) before else before.flatMap(others => own.map(value => others :+ (name -> value)))
    }

  /** Replaces JMH's own printed report with progress lines.
    *
    * @param planned how often JMH begins a benchmark
    * @param rounds  the number of rounds of single forks; 0 if JMH runs all forks of a benchmark one after the other
    */
  private final class Progress(planned: Int, rounds: Int) extends InvocationHandler {
    private val began = System.nanoTime
    private var (ended, doneNanos, plannedNanos) = (0, 0L, 1L)
    private var now = BenchmarkProgress("", "", 0, 0, warmUp = true, 0, 0, 0, 0, "")

    def beginFork(round: Int, done: Int, disturbed: String): Unit = {
      ended = done
      now = now.copy(fork = round, disturbed = disturbed)
    }

    def end(): Unit = println(now.copy(share = 1, leftMillis = 0).line)

    def invoke(format: AnyRef, method: Method, arguments: Array[AnyRef]): AnyRef = synchronized {
      method.getName match {
        case "startBenchmark"  => begin(arguments(0))
        case "iteration"       => if (arguments(2) == 1) beginPhase(arguments(0), arguments(1))
        case "iterationResult" => end(arguments(1), number(arguments(2)))
        case "endBenchmark"    => ended += 1; doneNanos = 0
        case "print"           => print(arguments(0))
        case "println"         => println(arguments(0))
        case "write"           => write(arguments(0))
        case _                 => ()
      }
      null
    }

    private def write(what: AnyRef): Unit = what match {
      case bytes: Array[Byte] => System.out.write(bytes, 0, bytes.length)
      case byte               => System.out.write(byte.asInstanceOf[Int])
    }

    private def begin(params: AnyRef): Unit = {
      val forks = (number(ask(params, "getForks")) + number(ask(params, "getWarmupForks"))).max(1)
      val phases = Seq("getWarmup", "getMeasurement").map(ask(params, _))
      plannedNanos = forks * phases.map(phase => number(ask(phase, "getCount")) * nanos(phase)).sum.max(1)
      val values = all(ask(params, "getParamsKeys")).map(name => s"$name=${ask(params, "getParam", name)}").mkString(", ")
      val (fork, of) = if (rounds == 0) (0, forks) else (now.fork, rounds)
      tell(BenchmarkProgress(s"${ask(params, "getBenchmark")}", values, fork, of, warmUp = true, 0, 0, 0, 0, now.disturbed))
    }

    private def beginPhase(params: AnyRef, phase: AnyRef): Unit = {
      val warmUp = s"${ask(phase, "getType")}" == "WARMUP"
      val first = warmUp || number(ask(ask(params, "getWarmup"), "getCount")) == 0
      tell(
        now.copy(
          fork = now.fork + (if (first && rounds == 0) 1 else 0),
          warmUp = warmUp,
          iteration = 0,
          iterations = number(ask(phase, "getCount"))
        )
      )
    }

    private def end(phase: AnyRef, iteration: Int): Unit = {
      doneNanos += nanos(phase)
      tell(now.copy(iteration = iteration))
    }

    private def nanos(phase: AnyRef): Long = ask(ask(phase, "getTime"), "convertTo", TimeUnit.NANOSECONDS).asInstanceOf[Long]

    private def tell(next: BenchmarkProgress): Unit = {
      val done = ended + doneNanos.toDouble / plannedNanos
      // A fork takes longer than its iterations. The first forks show how much longer.
      val each = if (ended == 0) plannedNanos.toDouble else (System.nanoTime - began) / done
      now = next.copy(share = (done / planned).min(1), leftMillis = ((planned - done) * each / 1e6).toLong.max(0))
      println(now.line)
    }
  }

  private def jmh(name: String): Class[_ <: AnyRef] = Class.forName(s"org.openjdk.jmh.$name").asSubclass(classOf[AnyRef])

  private def format(handler: InvocationHandler): AnyRef =
    Proxy.newProxyInstance(getClass.getClassLoader, Array(jmh("runner.format.OutputFormat")), handler)

  /** Calls the public method with this name and this many arguments, and returns its result. */
  private def ask(of: AnyRef, name: String, arguments: AnyRef*): AnyRef = {
    val method = of.getClass.getMethods
      .find(one => one.getName == name && one.getParameterCount == arguments.size)
      .getOrElse(throw new NoSuchMethodException(s"${of.getClass.getName}.$name"))
    method.trySetAccessible() // some of JMH's classes aren't public
    called(method.invoke(of, arguments: _*))
  }

  private def all(several: AnyRef): Seq[AnyRef] = several.asInstanceOf[JavaCollection[AnyRef]].asScala.toSeq
  private def number(boxed: AnyRef): Int = boxed.asInstanceOf[Int]

  private def called[T](body: => T): T =
    try body
    catch { case failed: InvocationTargetException => throw failed.getCause }
}

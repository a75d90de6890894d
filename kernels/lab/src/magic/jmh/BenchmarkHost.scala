package lab.magic.jmh

import java.io.{ByteArrayOutputStream, ObjectInputFilter, PrintStream}
import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.TimeUnit
import java.util.{Collection => JavaCollection, Map => JavaMap}

import lab.process.Program

import scala.jdk.CollectionConverters._

/** Runs JMH, which forks the JVMs that measure; its forks end with it, and it ends with the kernel. It prints what benchmarks and JMH's
  * runner say, and between these lines how far it is ([[BenchmarkProgress]]).
  *
  * Arguments: the class path of the forks, a folder for temporary files, then JMH's own. Of its own JVM options JMH hands on those of the
  * command line, so what concerns only this process is set here. JMH stands on the class path of this process alone, so it is called by
  * name.
  */
private[jmh] object BenchmarkHost extends Program {

  def main(arguments: Array[String]): Unit = {
    System.setProperty("java.class.path", arguments(0))
    System.setProperty("java.io.tmpdir", arguments(1))
    // One lock for the whole machine would let two notebooks fail; running both at once is the reader's choice.
    System.setProperty("jmh.ignoreLock", "true")
    ObjectInputFilter.Config.setSerialFilter(admitted)
    try run(arguments.drop(2))
    catch {
      case failed: Exception =>
        println(Option(failed.getMessage).getOrElse(s"$failed"))
        System.exit(1)
    }
  }

  /** The classes that the forks send to this process. They send Java objects to a port of the loopback interface, where every user of the
    * machine can send some, too.
    */
  private[jmh] val admitted: ObjectInputFilter = ObjectInputFilter.Config.createFilter("org.openjdk.jmh.**;java.base/*;!*")

  private def run(words: Array[String]): Unit = {
    val options = called(jmh("runner.options.CommandLineOptions").getConstructor(classOf[Array[String]]).newInstance(words))
    val runner = jmh("runner.Runner").getConstructor(jmh("runner.options.Options"), jmh("runner.format.OutputFormat"))
    val _ = ask(called(runner.newInstance(options, format(new Progress(count(options))))), "run")
  }

  /** How many benchmarks there will be, each with its modes and the values of its parameters. */
  private def count(options: AnyRef): Int = {
    val list = called(jmh("runner.BenchmarkList").getMethod("defaultList").invoke(null))
    val silent = format((_, _, _) => null)
    val found = all(ask(list, "find", silent, ask(options, "getIncludes"), ask(options, "getExcludes")))
    val modes = all(ask(options, "getBenchModes")).size
    val entries = if (modes == 0) found else found.distinctBy(ask(_, "getUsername")).flatMap(Seq.fill(modes)(_))
    entries.map { entry =>
      val params = ask(ask(entry, "getParams"), "orElse", JavaMap.of()).asInstanceOf[JavaMap[String, Array[String]]].asScala.toSeq
      params.map { case (name, values) => all(ask(ask(options, "getParameter", name), "orElse", values.toSeq.asJava)).size }.product
    }.sum
  }

  /** What JMH tells of its run, instead of JMH's own printed report. */
  private final class Progress(benchmarks: Int) extends InvocationHandler {
    private var (ended, doneNanos, plannedNanos) = (0, 0L, 1L)
    private var now = BenchmarkProgress("", "", 0, 0, warmUp = true, 0, 0, 0, 0, "")

    def invoke(format: AnyRef, method: Method, arguments: Array[AnyRef]): AnyRef = synchronized {
      method.getName match {
        case "startBenchmark"  => begin(arguments(0))
        case "iteration"       => if (arguments(2) == 1) beginPhase(arguments(0), arguments(1))
        case "iterationResult" => end(arguments(1), number(arguments(2)))
        case "endBenchmark"    => ended += 1; doneNanos = 0
        case "endRun"          => println(now.copy(share = 1, leftMillis = 0, table = table(arguments(0))).line)
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
      tell(BenchmarkProgress(s"${ask(params, "getBenchmark")}", values, 0, forks, warmUp = true, 0, 0, 0, 0, ""))
    }

    private def beginPhase(params: AnyRef, phase: AnyRef): Unit = {
      val warmUp = s"${ask(phase, "getType")}" == "WARMUP"
      val first = warmUp || number(ask(ask(params, "getWarmup"), "getCount")) == 0
      tell(now.copy(fork = now.fork + (if (first) 1 else 0), warmUp = warmUp, iteration = 0, iterations = number(ask(phase, "getCount"))))
    }

    private def end(phase: AnyRef, iteration: Int): Unit = {
      doneNanos += nanos(phase)
      tell(now.copy(iteration = iteration))
    }

    private def nanos(phase: AnyRef): Long = ask(ask(phase, "getTime"), "convertTo", TimeUnit.NANOSECONDS).asInstanceOf[Long]

    private def tell(next: BenchmarkProgress): Unit = {
      val done = ended + doneNanos.toDouble / plannedNanos
      now = next.copy(share = done / benchmarks, leftMillis = ((benchmarks - done) * plannedNanos / 1e6).toLong)
      println(now.line)
    }
  }

  /** JMH's own table of these results. */
  private def table(results: AnyRef): String = {
    val bytes = new ByteArrayOutputStream
    val kind = jmh("results.format.ResultFormatType")
    val make = jmh("results.format.ResultFormatFactory").getMethod("getInstance", kind, classOf[PrintStream])
    ask(make.invoke(null, kind.getField("TEXT").get(null), new PrintStream(bytes, true, UTF_8)), "writeOut", results)
    bytes.toString(UTF_8).stripTrailing
  }

  private def jmh(name: String): Class[_ <: AnyRef] = Class.forName(s"org.openjdk.jmh.$name").asSubclass(classOf[AnyRef])

  private def format(handler: InvocationHandler): AnyRef =
    Proxy.newProxyInstance(getClass.getClassLoader, Array(jmh("runner.format.OutputFormat")), handler)

  /** What the public method of this name returns, the only one of so many arguments. */
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

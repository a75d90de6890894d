package almond.course

import java.nio.file.Paths

import scala.concurrent.duration._

import almond.{ScalaInterpreter, ScalaInterpreterParams, ScalaKernelThreads}
import almond.interpreter.api.ExecuteResult
import almond.interpreter.messagehandlers.MessageHandler
import almond.kernel.Kernel
import almond.logger.{Level, LoggerContext}
import ammonite.course.{CellWrapper, FrontEnd, JdkClasses}
import ammonite.util.Colors
import org.zeromq.ZMQException
import zmq.ZError

/** Starts Almond, set up for the course, with the lab bound to it before the first cell. Almond's own launcher could only do that in a
  * predef, which would be compiled at every start.
  *
  * `Main CONNECTION_FILE CLASS_PATH` serves a front end. Cells are compiled against the JARs of `CLASS_PATH` and no others. `Main --warm-up
  * CLASS_PATH` runs a few cells and ends. That is the training run for the JVM's AOT cache.
  */
object Main {

  def main(arguments: Array[String]): Unit = arguments.toList match {
    case List("--warm-up", classPath)    => warmUp(interpreterOver(classPath, ScalaKernelThreads.create("scala-kernel")))
    case List(connectionFile, classPath) => serve(connectionFile, classPath)
    case other =>
      System.err.println(s"expected the path of a connection file (or --warm-up) and a class path, but got: ${other.mkString(" ")}")
      sys.exit(2)
  }

  private val log = LoggerContext.stderr(Level.Error)

  private def serve(connectionFile: String, classPath: String): Unit = {
    FrontEnd.watch(sys.env.get("JPY_PARENT_PID")) { why =>
      log(getClass).error(s"$why: the kernel ends")
      Runtime.getRuntime.exit(0)
    }
    val threads = ScalaKernelThreads.create("scala-kernel")
    val interpreter = interpreterOver(classPath, threads)
    val starter = new Thread(() => start(interpreter), "session-start")
    starter.setDaemon(true)
    starter.start()
    val kernel =
      Kernel.create(interpreter, threads.interpreterEc, threads.kernelThreads, threads.cancellableEc, log, MessageHandler.empty, Set.empty)
    val running = kernel.flatMap(
      _.runOnConnectionFile(connectionFile, "scala", threads.zeromqThreads, Nil, autoClose = true, linger, Some(Paths.get(connectionFile)))
    )
    try running.unsafeRunSync()(threads.kernelThreads.ioRuntime)
    catch {
      case taken: ZMQException if taken.getErrorCode == ZError.EADDRINUSE =>
        log(getClass).error(s"another program has one of the ports in $connectionFile: the kernel ends")
        sys.exit(portTaken)
    } finally interpreter.shutdown()
  }

  /** The same code as `ConnectionFile.portTaken` of the embedded kernel. */
  private val portTaken = 75

  /** Starts the interpreter while the front end asks its first questions. */
  private def start(interpreter: ScalaInterpreter): Unit =
    try { val _ = interpreter.ammInterp }
    catch {
      case thrown: Throwable =>
        log(getClass).error("Almond's interpreter did not start", thrown)
        Runtime.getRuntime.halt(1)
    }

  private def interpreterOver(classPath: String, threads: ScalaKernelThreads): ScalaInterpreter = {
    // Ammonite compiles cells against the JARs that this property names, so cells don't see Almond's own parts. Among these is a library of
    // Scala 3.
    System.setProperty("java.class.path", classPath)
    JdkClasses.provide(os.Path(sys.props("course.storage")))
    val interpreter = new ScalaInterpreter(
      ScalaInterpreterParams(
        updateBackgroundVariablesEcOpt = Some(threads.updateBackgroundVariablesEc),
        codeWrapper = CellWrapper,
        predefCode = "import lab.api._, lab.{exercises, forked}",
        initialColors = Colors.BlackWhite,
        lazyInit = true,
        silentImports = true,
        useThreadInterrupt = true,
        // Almond would copy every cell's classes into a temporary folder and leave them there. Here, cells run from memory.
        outputDir = Right(false)
      ),
      log
    )
    Hooks.open(interpreter)
    interpreter
  }

  private def warmUp(interpreter: ScalaInterpreter): Unit = {
    cells.foreach { code =>
      interpreter.execute(code, storeHistory = true, None, None, None) match {
        case ExecuteResult.Success(_) => ()
        case failed                   => throw new IllegalStateException(s"a warm-up cell failed: $code: $failed")
      }
    }
    interpreter.shutdown()
    sys.exit(0)
  }

  private val linger = 5.seconds

  /** The cells that load what a reader's first minutes load. */
  private val cells = Seq(
    "1 + 1",
    "import scala.concurrent._, duration._, ExecutionContext.Implicits.global\nval answer = Await.result(Future(41).map(_ + 1), 5.seconds)",
    "case class Task(label: String, nanos: Long)\nval tasks = (1 to 10).map(n => Task(s\"task $n\", n * 1000L))\ntasks.groupBy(_.nanos % 2)"
  )
}

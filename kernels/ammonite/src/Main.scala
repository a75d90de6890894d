package ammonite.course

import java.nio.file.Files
import java.util.logging.LogManager

import ammonite.course.Session.Outcome

/** Starts the kernel.
  *
  * `Main CONNECTION_FILE` serves a front end. `Main --warm-up` runs a few cells without one and ends: the training run of the JVM's AOT cache,
  * which also fills Ammonite's storage.
  */
object Main {

  def main(arguments: Array[String]): Unit = {
    // The library logs every message it handles.
    LogManager.getLogManager.reset()
    arguments.toList match {
      case List("--warm-up")    => WarmUp.run(storage)
      case List(connectionFile) => serve(connectionFile)
      case other =>
        System.err.println(s"expected the path of a connection file, or --warm-up, but got: ${other.mkString(" ")}")
        sys.exit(2)
    }
  }

  private def serve(connectionFile: String): Unit = {
    val log = Log.ofProcess
    FrontEnd.watch(sys.env.get("JPY_PARENT_PID")) { why =>
      log.line(s"$why: the kernel ends")
      Runtime.getRuntime.exit(0)
    }
    try {
      val connection = new Connection(ConnectionFile.read(connectionFile), log)
      val kernel = new Kernel(connection, storage)
      kernel.start()
      kernel.becomeHandlerForConnection(connection)
      connection.connect()
    } catch {
      case problem: ConnectionFile.Problem => fail(log, problem.told)
    }
  }

  private def fail(log: Log, told: String): Unit = {
    log.line(told)
    sys.exit(2)
  }

  private def storage: os.Path =
    os.Path(sys.props.getOrElse("course.storage", Files.createTempDirectory("ammonite-storage").toString), os.pwd)
}

/** The cells of the training run: what a reader's first minutes load, so that the archive holds it. */
object WarmUp {

  def run(storage: os.Path): Unit = {
    val session = new Session(storage, System.out, System.err, new DownloadProgress(_ => _ => ()))
    cells.zipWithIndex.foreach { case (code, number) =>
      session.run(code, number) match {
        case Outcome.Value(_) => ()
        case failed           => throw new IllegalStateException(s"a warm-up cell failed: $code: $failed")
      }
    }
    val _ = session.complete("List(1).ma", 10)
    session.compilers.shutdownPressy()
  }

  private val cells = Seq(
    "1 + 1",
    "import scala.concurrent._, duration._, ExecutionContext.Implicits.global\nval answer = Await.result(Future(41).map(_ + 1), 5.seconds)",
    "case class Task(label: String, nanos: Long)\nval tasks = (1 to 10).map(n => Task(s\"task $n\", n * 1000L))\ntasks.groupBy(_.nanos % 2).view.mapValues(_.size).toMap",
    "def fibonacci(n: Int): BigInt = Iterator.iterate((BigInt(0), BigInt(1))) { case (a, b) => (b, a + b) }.drop(n).next()._1\nfibonacci(50)",
    "val pool = java.util.concurrent.Executors.newFixedThreadPool(2)\npool.shutdown()"
  )
}

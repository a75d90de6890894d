package ammonite.course

import java.nio.file.Files
import java.util.logging.LogManager

import scala.util.control.NonFatal

/** Starts the kernel.
  *
  * `Main CONNECTION_FILE CLASS_PATH` serves a front end. Cells are compiled against the JARs of `CLASS_PATH` and no others. `Main --warm-up
  * CLASS_PATH` acts as its own front end, runs a few cells and ends. That is the training run for the JVM's AOT cache, which also fills
  * Ammonite's storage.
  */
object Main {

  def main(arguments: Array[String]): Unit = {
    // The library logs every message it handles.
    LogManager.getLogManager.reset()
    arguments.toList match {
      case List("--warm-up", classPath) =>
        compileAgainst(classPath)
        // The kernel's threads still run, so an exception alone would not end the process.
        try WarmUp.run(storage)
        catch { case NonFatal(thrown) => fail(Log.ofProcess, s"the warm-up failed: ${Log.stackTrace(thrown)}", 1) }
        sys.exit(0)
      case List(connectionFile, classPath) =>
        compileAgainst(classPath)
        serve(connectionFile)
      case other =>
        System.err.println(s"expected the path of a connection file (or --warm-up) and a class path, but got: ${other.mkString(" ")}")
        sys.exit(2)
    }
  }

  /** Ammonite's compiler keeps an index of every JAR that this property names. Without it, the index would have the kernel's own parts,
    * too, and take more memory and time.
    */
  private def compileAgainst(classPath: String): Unit = { val _ = System.setProperty("java.class.path", classPath) }

  private def serve(connectionFile: String): Unit = {
    val log = Log.ofProcess
    FrontEnd.watch(sys.env.get("JPY_PARENT_PID")) { why =>
      log.line(s"$why: the kernel ends")
      Runtime.getRuntime.exit(0)
    }
    try {
      val connection = new Connection(ConnectionFile.read(connectionFile), log)
      connection.listen()
      val kernel = new Kernel(connection, storage)
      kernel.start()
      kernel.becomeHandlerForConnection(connection)
      connection.connect()
    } catch {
      case problem: ConnectionFile.Problem => fail(log, problem.text, problem.exitCode)
    }
  }

  private def fail(log: Log, text: String, exitCode: Int): Unit = {
    log.line(text)
    sys.exit(exitCode)
  }

  private def storage: os.Path =
    os.Path(sys.props.getOrElse("course.storage", Files.createTempDirectory("ammonite-storage").toString), os.pwd)
}

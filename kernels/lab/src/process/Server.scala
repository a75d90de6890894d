package lab.process

import java.nio.file.Path
import java.util.concurrent.{LinkedBlockingQueue, TimeUnit, TimeoutException}

import lab.show.{ProgressLine, Say}

import scala.collection.mutable
import scala.concurrent.duration._

/** A program that runs in a separate JVM next to the cells, until it is closed: a server that a page measures.
  *
  * The server and the programs that it started itself end with the kernel, however the kernel ends.
  *
  * @param name      the server's name
  * @param readyLine the line with which it said that it was ready
  */
final class Server private (
    val name: String,
    val readyLine: String,
    child: Child,
    heard: Server.Heard,
    readyAfter: FiniteDuration,
    grace: FiniteDuration
) extends AutoCloseable {

  /** Returns the last number in the line with which the server said that it was ready: the port that it listens on.
    *
    * @throws java.lang.IllegalStateException if there is none
    */
  def port: Int = Server.Number
    .findAllIn(readyLine)
    .toSeq
    .lastOption
    .fold(throw new IllegalStateException(s"$name said '$readyLine' when it was ready: there is no port in it; let it print one"))(_.toInt)

  /** Returns `http://127.0.0.1:` and the port. */
  def url: String = s"http://127.0.0.1:$port"

  /** Returns whether the server's process is alive. */
  def isRunning: Boolean = child.isAlive

  /** Returns the last lines that the server printed, the newest at the end. */
  def output: Vector[String] = heard.lines

  /** Ends the server, and waits until it is gone. It may take a second to clean up by itself (a database ten).
    *
    * @throws java.lang.IllegalStateException if it had ended by itself before, with what it printed, because then the measurement isn't
    *                                         complete
    */
  def close(): Unit = {
    val early = Option.when(!child.isAlive && Server.knows(this))(child.exit())
    end()
    early.foreach(code => throw new IllegalStateException(s"$name ended by itself with ${Child.ended(code)}. ${heard.transcript}"))
  }

  private def end(): Unit = {
    child.end(grace)
    Server.forget(this)
  }

  override def toString: String =
    s"$name, ${if (isRunning) s"ready after ${Say.time(readyAfter)}, process ${child.pid}: $readyLine" else "closed"}"
}

object Server {

  /** Starts `program` and returns when it has said that it is ready. A server of the same name that still runs is closed first, so that a
    * cell can be run again.
    *
    * {{{
    * val server = Server.start(shop)   // its main prints "ready on 43211"
    * server.port                       // 43211
    * server.close()
    * }}}
    *
    * @param program   what a `%%program` cell has made, with one main
    * @param arguments the arguments for its main
    * @param jvm       options for its JVM, which has a heap of 128 MB otherwise
    * @param ready     matches the line that it prints when it is ready
    * @param limit     how long it may take to be ready
    * @throws java.lang.IllegalStateException if it ends before it is ready, with what it printed
    * @throws java.util.concurrent.TimeoutException if it isn't ready after `limit`, with what it printed; it is killed then
    * @throws java.lang.InterruptedException if the cell is interrupted meanwhile; it is killed then, too
    */
  def start(
      program: CompiledProgram,
      arguments: Seq[String] = Nil,
      jvm: Seq[String] = Nil,
      ready: String = "ready.*",
      limit: FiniteDuration = 60.seconds
  ): Server = launch(program.name, program.service(program.main, arguments, jvm), ready, limit)

  /** Starts `program` several times simultaneously, which is faster than one after the other, and returns when all are ready, in this
    * order.
    *
    * {{{
    * val Seq(one, other) = Server.startAll(shop)(Seq("8080") -> Nil, Seq("8081") -> Seq("-Xmx64m"))
    * }}}
    *
    * @param each the arguments for its main, and options for its JVM; otherwise as in [[start]]
    */
  def startAll(program: CompiledProgram)(each: (Seq[String], Seq[String])*): Vector[Server] = {
    val commands = each.toVector.map { case (arguments, jvm) => program.service(program.main, arguments, jvm) }
    launchAll(program.name, commands, "ready.*", 60.seconds, 1.second, new ProgressLine("Server"), Map.empty)
  }

  /** Starts a server from a command.
    *
    * @param grace       how long it may take to end by itself when it is asked to
    * @param line        the line that shows its progress
    * @param environment variables that are added to the kernel's own
    */
  private[lab] def launch(
      name: String,
      command: Seq[String],
      ready: String,
      limit: FiniteDuration,
      grace: FiniteDuration = 1.second,
      line: ProgressLine = new ProgressLine("Server"),
      environment: Map[String, String] = Map.empty
  ): Server =
    launchAll(name, Vector(command.toVector), ready, limit, grace, line, environment).head

  private def launchAll(
      name: String,
      commands: Vector[Vector[String]],
      ready: String,
      limit: FiniteDuration,
      grace: FiniteDuration,
      line: ProgressLine,
      environment: Map[String, String]
  ): Vector[Server] = {
    running.filter(_.name == name).foreach(_.end())
    val began = System.nanoTime
    val starting = mutable.ArrayBuffer.empty[(Child, Heard)]
    try {
      commands.foreach { command =>
        val heard = new Heard(ready)
        starting += Child.start(command, Path.of("").toAbsolutePath, environment)(heard.hear, heard.end) -> heard
      }
      val started = starting.toVector.map { case (child, heard) =>
        val readyLine = awaited(name, child, heard, ready, limit, began, line)
        new Server(name, readyLine, child, heard, (System.nanoTime - began).nanos, grace)
      }
      line.say(s"$name is ready, ${if (started.sizeIs > 1) s"${started.size} times, " else ""}${line.time}")
      started.foreach(remember)
      started
    } catch {
      case failed: Throwable =>
        starting.foreach(_._1.end())
        line.say(s"$name did not start, ${line.time}")
        throw failed
    }
  }

  private def awaited(
      name: String,
      child: Child,
      heard: Heard,
      ready: String,
      limit: FiniteDuration,
      began: Long,
      line: ProgressLine
  ): String = Iterator
    .continually(heard.isReady(500.millis))
    .map {
      case Some(Right(said)) => Some(said)
      case Some(Left(())) =>
        throw new IllegalStateException(
          s"$name ended with ${Child.ended(child.exit())} before it was ready (before it printed a line like '$ready'). ${heard.transcript}"
        )
      case None if System.nanoTime - began > limit.toNanos =>
        throw new TimeoutException(
          s"$name wasn't ready after ${Say.time(limit)} (it printed no line like '$ready') and was killed. ${heard.transcript}"
        )
      case None =>
        line.say(s"$name starts, ${line.time}")
        None
    }
    .collectFirst { case Some(said) => said }
    .get

  private var servers = Vector.empty[Server]
  // If the kernel is killed, the pipe that ends with it is enough. If it is asked to end, this hook ends servers in order.
  Runtime.getRuntime.addShutdownHook(new Thread(() => running.foreach(_.end())))

  private def running: Vector[Server] = synchronized(servers)
  private def remember(server: Server): Unit = synchronized { servers = servers :+ server }
  private def knows(server: Server): Boolean = running.exists(_ eq server)
  private def forget(server: Server): Unit = synchronized { servers = servers.filterNot(_ eq server) }

  private val Number = "\\d+".r

  /** The output of a server. The reader's thread writes it, and the cell's thread reads it. */
  private final class Heard(ready: String) {
    private val last = mutable.Queue.empty[String]
    private val news = new LinkedBlockingQueue[Either[Unit, String]]

    def hear(line: String): Unit = if (!line.startsWith("Picked up ")) {
      keep(line)
      if (line.matches(ready)) news.put(Right(line))
    }

    def end(failed: Option[Throwable]): Unit = {
      failed.foreach(why => keep(Bounded.cutOff(why).getMessage))
      news.put(Left(()))
    }

    private def keep(line: String): Unit = synchronized {
      last += line
      if (last.sizeIs > most) { val _ = last.dequeue() }
    }
    def isReady(wait: FiniteDuration): Option[Either[Unit, String]] = Option(news.poll(wait.toNanos, TimeUnit.NANOSECONDS))
    def lines: Vector[String] = synchronized(last.toVector)
    def transcript: String = if (lines.isEmpty) "It printed nothing." else s"It said:\n${ends(lines).mkString("\n")}"
  }
  private val most = 1000

  /** Shortens a transcript. The first lines name the failure, and the last ones show where it ended. */
  private def ends(lines: Vector[String]): Vector[String] =
    if (lines.sizeIs <= 30) lines else (lines.take(10) :+ s"… ${lines.size - 30} lines …") ++ lines.takeRight(20)
}

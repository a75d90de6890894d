package lab.load

import java.io.{BufferedReader, InputStreamReader}
import java.lang.management.ManagementFactory
import java.net.{InetAddress, ServerSocket, Socket}
import java.nio.file.{Files, Path}
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicInteger

import lab.process.Server

import scala.jdk.CollectionConverters._
import scala.util.Using

/** How a [[WaitingRoom]] is.
  *
  * @param waiting   how many have asked
  * @param threads   the JVM's platform threads
  * @param mebibytes what the process really has, after a garbage collection; 0 where nobody tells (only Linux does), or nobody asked
  * @param refused   why the system gave no more threads, if it did so
  */
final case class Occupancy(waiting: Int, threads: Int, mebibytes: Double, refused: String)

/** A server whose callers all wait until they are let out, and which is asked meanwhile how many there are and what they cost: for a program
  * that a page runs.
  *
  * In the program: let the server's handlers call [[enter]], or start one by [[onThreads]], and then [[open]] the room. On the page:
  * [[look]], and [[letOut]].
  */
object WaitingRoom {
  private val (waiting, gate) = (new AtomicInteger, new CompletableFuture[String])
  @volatile private var refused = ""

  /** Somebody has come; completes when all are let out. */
  def enter(): CompletableFuture[String] = {
    waiting.incrementAndGet()
    gate
  }

  /** A server with a thread for each connection, on which that waits.
    *
    * @return its port
    */
  def onThreads(virtual: Boolean): Int = {
    val threads: Thread.Builder = if (virtual) Thread.ofVirtual else Thread.ofPlatform.daemon
    serveBy { task => threads.start(task); () }
  }

  /** The same with threads that `start` starts. When it can't, nobody else gets in: whoever waits outside is hung up on, and hears so. */
  private[load] def serveBy(start: Runnable => Unit): Int = {
    // As many as Linux lets wait at the door: who comes when it is full knocks again after a second.
    val door = new ServerSocket(0, 4096, InetAddress.getLoopbackAddress)
    val accept: Runnable = () =>
      try
        while (true) {
          val socket = door.accept()
          try start(serve(socket))
          catch { case none: OutOfMemoryError => socket.close(); throw none }
        }
      catch { // that is how the JVM says that it got no thread
        case none: OutOfMemoryError => door.close(); refused = none.getMessage
      }
    Thread.ofPlatform.name("door").start(accept)
    door.getLocalPort
  }

  private def serve(socket: Socket): Runnable = () => {
    val in = new BufferedReader(new InputStreamReader(socket.getInputStream))
    Iterator.continually(in.readLine()).takeWhile(line => Option(line).exists(_.nonEmpty)).foreach(_ => ())
    enter().get
    socket.getOutputStream.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes)
  }

  /** Says where it is to be asked, and that it is ready to be called on `port`. */
  def open(port: Int): Unit = Desk.open(port) { path =>
    if (path == "/out") gate.complete("")
    s"${waiting.get},${ManagementFactory.getThreadMXBean.getThreadCount},${if (path == "/look") resident else 0},$refused"
  }

  /** How many wait in the room that `server` is. */
  def count(server: Server): Int = ask(server, "/count").waiting

  /** The same, and what they cost. */
  def look(server: Server): Occupancy = ask(server, "/look")

  /** Answers all who wait. */
  def letOut(server: Server): Unit = { ask(server, "/out"); () }

  private def ask(server: Server, path: String): Occupancy =
    Using.resource(Desk.of(server))(_.get(path)).split(",", 4) match {
      case Array(count, threads, mebibytes, why) => Occupancy(count.toInt, threads.toInt, mebibytes.toDouble, why)
      case other                                 => throw new IllegalStateException(s"a waiting room doesn't say ${other.mkString(",")}")
    }

  private def resident: Double = {
    System.gc()
    val status = Path.of("/proc/self/status")
    val lines = if (Files.isReadable(status)) Files.readAllLines(status).asScala.toVector else Vector.empty
    lines.collectFirst { case s"VmRSS:$kib kB" => kib.trim.toDouble / 1024 }.getOrElse(0.0)
  }
}

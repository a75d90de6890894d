package lab.load

import java.io.InputStream
import java.lang.management.ManagementFactory
import java.net.{InetAddress, ServerSocket, Socket}
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicInteger

import lab.process.{NativeMemory, Server}

import scala.util.Using

/** How a [[WaitingRoom]] is.
  *
  * @param waiting    how many have asked
  * @param threads    the JVM's platform threads
  * @param heapKib    KiB of the heap in use after a garbage collection; 0 where nobody asked
  * @param outsideKib KiB that the JVM has committed outside the heap for threads and direct buffers, by native memory tracking; 0 where
  *                   nobody asked, or the JVM runs without `-XX:NativeMemoryTracking=summary`
  * @param refused    why the system gave no more threads, if it did so
  */
final case class Occupancy(waiting: Int, threads: Int, heapKib: Long, outsideKib: Long, refused: String) {

  /** Both kinds of memory together. */
  def mebibytes: Double = (heapKib + outsideKib) / 1024.0
}

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

  private def serve(socket: Socket): Runnable = () =>
    if (hasAsked(socket.getInputStream)) {
      enter().get
      socket.getOutputStream.write(answer)
    }

  /** Reads a request to its end and keeps nothing of it: raw bytes, as an event loop reads them. False if the caller has hung up. */
  private def hasAsked(in: InputStream): Boolean = {
    val (bytes, end) = (new Array[Byte](256), new RequestEnd)
    Iterator.continually(in.read(bytes)).takeWhile(_ >= 0).exists(count => bytes.iterator.take(count).exists(end(_)))
  }

  /** What everybody gets who is let out; a copy, which may be changed. */
  def answer: Array[Byte] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(US_ASCII)

  /** Says where it is to be asked, and that it is ready to be called on `port`. */
  def open(port: Int): Unit = Desk.open(port) { path =>
    if (path == "/out") gate.complete("")
    val (heap, outside) = if (path == "/look") memory else (0L, 0L)
    s"${waiting.get},${ManagementFactory.getThreadMXBean.getThreadCount},$heap,$outside,$refused"
  }

  /** How many wait in the room that `server` is. */
  def count(server: Server): Int = ask(server, "/count").waiting

  /** The same, and what they cost. */
  def look(server: Server): Occupancy = ask(server, "/look")

  /** Answers all who wait. */
  def letOut(server: Server): Unit = { ask(server, "/out"); () }

  private def ask(server: Server, path: String): Occupancy =
    Using.resource(Desk.of(server))(_.get(path)).split(",", 5) match {
      case Array(count, threads, heap, outside, why) => Occupancy(count.toInt, threads.toInt, heap.toLong, outside.toLong, why)
      case other => throw new IllegalStateException(s"a waiting room doesn't say ${other.mkString(",")}")
    }

  private def memory: (Long, Long) = {
    System.gc()
    (ManagementFactory.getMemoryMXBean.getHeapMemoryUsage.getUsed / 1024, NativeMemory.threadsAndBuffersKib.getOrElse(0L))
  }
}

/** Finds the blank line that ends a request among its bytes, as they come. For one connection. */
final class RequestEnd {
  private var matched = 0

  /** Whether this byte, the next one, is the last of a request. */
  def apply(byte: Byte): Boolean = {
    matched = if (byte == RequestEnd.line(matched)) matched + 1 else if (byte == '\r') 1 else 0
    val over = matched == RequestEnd.line.length
    if (over) matched = 0
    over
  }
}

private object RequestEnd {
  private val line = "\r\n\r\n"
}

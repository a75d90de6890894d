package lab.load

import java.io.InputStream
import java.lang.management.ManagementFactory
import java.net.{InetAddress, ServerSocket, Socket}
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicInteger

import lab.process.{NativeMemory, Server}

import scala.util.Using

/** The state of a [[WaitingRoom]].
  *
  * @param waiting    how many callers wait
  * @param threads    how many platform threads the JVM has
  * @param heapKib    the heap in use after a garbage collection, in KiB; 0 if it wasn't measured
  * @param outsideKib the memory in KiB that the JVM has committed outside the heap for threads and direct buffers, by native memory
  *                   tracking; 0 if it wasn't measured, or if the JVM runs without `-XX:NativeMemoryTracking=summary`
  * @param refused    why the system gave no more threads; empty if it did
  */
final case class Occupancy(waiting: Int, threads: Int, heapKib: Long, outsideKib: Long, refused: String) {

  /** Returns both kinds of memory together, in MiB. */
  def mebibytes: Double = (heapKib + outsideKib) / 1024.0
}

/** A server whose callers all wait until they are released. Meanwhile it reports how many there are and what they cost. It is for a program
  * that a page runs.
  *
  * In the program, let the server's handlers call [[enter]], or start a server by [[onThreads]], and then [[open]] the room. On the page,
  * call [[look]] and [[letOut]].
  */
object WaitingRoom {
  private val (waiting, gate) = (new AtomicInteger, new CompletableFuture[String])
  @volatile private var refused = ""

  /** Counts a caller, and returns a future that completes when all are released. */
  def enter(): CompletableFuture[String] = {
    waiting.incrementAndGet()
    gate
  }

  /** Starts a server with a thread for each connection, on which the connection waits.
    *
    * @return its port
    */
  def onThreads(virtual: Boolean): Int = {
    val threads: Thread.Builder = if (virtual) Thread.ofVirtual else Thread.ofPlatform.daemon
    serveBy { task => threads.start(task); () }
  }

  /** Starts a server whose threads `start` starts. If it can't, the server closes this connection and all that wait to be accepted, and
    * accepts no others.
    */
  private[load] def serveBy(start: Runnable => Unit): Int = {
    // This is the longest backlog that Linux allows by default. If it is full, a client tries to connect again after a second.
    val door = new ServerSocket(0, 4096, InetAddress.getLoopbackAddress)
    val accept: Runnable = () =>
      try
        while (true) {
          val socket = door.accept()
          try start(serve(socket))
          catch { case none: OutOfMemoryError => socket.close(); throw none }
        }
      catch { // the JVM's way to say that it got no thread
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

  /** Reads a request to its end and keeps nothing of it, as raw bytes, as an event loop reads them. Returns false if the caller has closed
    * the connection.
    */
  private def hasAsked(in: InputStream): Boolean = {
    val (bytes, end) = (new Array[Byte](256), new RequestEnd)
    Iterator.continually(in.read(bytes)).takeWhile(_ >= 0).exists(count => bytes.iterator.take(count).exists(end(_)))
  }

  /** Returns the answer that released callers get, as a copy, which may be changed. */
  def answer: Array[Byte] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(US_ASCII)

  /** Opens the port on which the page asks, and announces it, together with `port`, on which clients call. */
  def open(port: Int): Unit = Desk.open(port) { path =>
    if (path == "/out") gate.complete("")
    val (heap, outside) = if (path == "/look") memory else (0L, 0L)
    s"${waiting.get},${ManagementFactory.getThreadMXBean.getThreadCount},$heap,$outside,$refused"
  }

  /** Returns how many callers wait in the room that `server` is. */
  def count(server: Server): Int = ask(server, "/count").waiting

  /** Returns how many callers wait, and what they cost. */
  def look(server: Server): Occupancy = ask(server, "/look")

  /** Answers all waiting callers. */
  def letOut(server: Server): Unit = { ask(server, "/out"); () }

  private def ask(server: Server, path: String): Occupancy =
    Using.resource(Desk.of(server))(_.get(path)).split(",", 5) match {
      case Array(count, threads, heap, outside, why) => Occupancy(count.toInt, threads.toInt, heap.toLong, outside.toLong, why)
      case other => throw new IllegalStateException(s"the waiting room answered with ${other.mkString(",")}")
    }

  private def memory: (Long, Long) = {
    System.gc()
    (ManagementFactory.getMemoryMXBean.getHeapMemoryUsage.getUsed / 1024, NativeMemory.threadsAndBuffersKib.getOrElse(0L))
  }
}

/** Finds the blank line that ends a request, byte by byte, for one connection. */
final class RequestEnd {
  private var matched = 0

  /** Reads the next byte, and returns whether a request ends with it. */
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

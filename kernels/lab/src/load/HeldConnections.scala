package lab.load

import java.io.IOException
import java.lang.management.ManagementFactory
import java.net.InetSocketAddress
import java.nio.ByteBuffer
import java.nio.channels.{Selector, SelectionKey, SocketChannel}
import java.nio.charset.StandardCharsets.US_ASCII

import com.sun.management.UnixOperatingSystemMXBean

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** Connections to a server on this machine that have asked for something and wait for the answer, as many as one likes, held by one thread.
  *
  * {{{
  * Using.resource(new HeldConnections(server.port)) { held =>
  *   held.open(10000, "/wait")     // comes back when all have asked
  *   release()
  *   held.answered(20.seconds)     // how many got an answer
  * }
  * }}}
  *
  * Not for several threads.
  */
final class HeldConnections(port: Int) extends AutoCloseable {
  private val selector = Selector.open()

  /** How many there are. */
  def size: Int = selector.keys.size

  /** Opens so many more, each of which asks for `path`.
    *
    * @throws java.io.IOException if the server or this machine doesn't take that many; those that are open remain so
    */
  def open(more: Int, path: String): Unit = {
    val request = s"GET $path HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(US_ASCII)
    (1 to more).foreach { _ =>
      val channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port))
      channel.write(ByteBuffer.wrap(request))
      channel.configureBlocking(false)
      channel.register(selector, SelectionKey.OP_READ)
    }
  }

  /** Waits until each has been answered, or hung up on, and says how many were answered.
    *
    * @param limit after so long those that are still waiting aren't waited for any more
    */
  def answered(limit: FiniteDuration): Int = {
    val (end, buffer) = (limit.fromNow, ByteBuffer.allocate(1024))
    var (answers, open) = (0, size)
    while (open > 0 && end.hasTimeLeft()) {
      selector.select(end.timeLeft.toMillis.max(1))
      if (Thread.interrupted()) throw new InterruptedException
      val ready = selector.selectedKeys.asScala.toVector
      selector.selectedKeys.clear()
      ready.foreach { key =>
        val read = HeldConnections.read(key, buffer.clear())
        if (read > 0) answers += 1
        key.interestOps(0)
        open -= 1
      }
    }
    answers
  }

  def close(): Unit = {
    selector.keys.asScala.foreach(_.channel.close())
    selector.close()
  }
}

object HeldConnections {

  /** How many this process may open, as far as its file descriptors go: some are left for others. `None` where the system doesn't tell. */
  def most: Option[Int] = ManagementFactory.getOperatingSystemMXBean match {
    case system: UnixOperatingSystemMXBean =>
      Some((system.getMaxFileDescriptorCount - system.getOpenFileDescriptorCount - spare).max(0).min(Int.MaxValue.toLong).toInt)
    case _ => None
  }

  private val spare = 300L

  private def read(key: SelectionKey, buffer: ByteBuffer): Int = key.channel match {
    case channel: SocketChannel =>
      try channel.read(buffer)
      catch { case _: IOException => -1 } // reset: no answer
    case other => throw new IllegalStateException(s"$other was never opened here")
  }
}

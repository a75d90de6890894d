package lab.load

import java.io.IOException
import java.lang.management.ManagementFactory
import java.net.InetSocketAddress
import java.nio.ByteBuffer
import java.nio.channels.{Selector, SelectionKey, SocketChannel}
import java.nio.charset.StandardCharsets.US_ASCII

import com.sun.management.UnixOperatingSystemMXBean
import lab.show.Say

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** Connections to a server on this machine that have asked for something and wait for the answer. One thread can keep any number of them
  * open.
  *
  * {{{
  * Using.resource(new HeldConnections(server.port)) { held =>
  *   held.open(10000, "/wait")     // returns when all have asked
  *   release()
  *   held.answered(20.seconds)     // how many got an answer
  * }
  * }}}
  *
  * Or all of them ask repeatedly, at the same moment:
  *
  * {{{
  * held.connect(2000)
  * held.ask("/", 20.seconds)       // when each asked, and when its answer came
  * }}}
  *
  * It isn't thread-safe.
  */
final class HeldConnections(port: Int) extends AutoCloseable {
  private val selector = Selector.open()

  /** Returns the number of connections. */
  def size: Int = selector.keys.size

  /** Opens `more` connections, each of which asks for `path`.
    *
    * @throws java.io.IOException if the server or this machine doesn't accept that many. Connections that are open stay open
    */
  def open(more: Int, path: String): Unit = {
    val request = HeldConnections.request(path)
    (1 to more).foreach(_ => one().write(ByteBuffer.wrap(request)))
  }

  /** Opens `more` connections, which ask for nothing yet.
    *
    * @throws java.io.IOException if the server or this machine doesn't accept that many. Connections that are open stay open
    */
  def connect(more: Int): Unit = (1 to more).foreach(_ => one())

  private def one(): SocketChannel = {
    val channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port))
    channel.configureBlocking(false)
    channel.register(selector, SelectionKey.OP_READ)
    channel
  }

  /** Asks for `path` on every connection, without waiting in between. Then it waits for the answers, which must have no body.
    *
    * @param limit how long it waits for the answers
    * @return a reply for each connection that was answered, in the order of the answers
    * @throws java.io.IOException if an answer has another status than 2xx
    */
  def ask(path: String, limit: FiniteDuration): Vector[Reply] = {
    val (request, buffer, replies) = (HeldConnections.request(path), ByteBuffer.allocate(1024), Vector.newBuilder[Reply])
    val (began, end, keys) = (System.nanoTime, limit.fromNow, selector.keys.asScala.toVector)
    var open = keys.size
    def receive(): Unit = {
      val ready = selector.selectedKeys.asScala.toVector
      selector.selectedKeys.clear()
      ready.foreach { key =>
        val read = HeldConnections.read(key, buffer.clear())
        if (read > 0) replies += Reply(HeldConnections.asked(key) - began, System.nanoTime - began)
        if (read > 0 && buffer.get(HeldConnections.status) != '2')
          throw new IOException(s"GET $path was answered with '${US_ASCII.decode(buffer.flip())}'")
        key.interestOps(0)
        open -= 1
      }
    }
    keys.zipWithIndex.foreach { case (key, n) =>
      key.interestOps(SelectionKey.OP_READ)
      key.attach(System.nanoTime)
      HeldConnections.channel(key).write(ByteBuffer.wrap(request))
      if (n % 100 == 99) { selector.selectNow(); receive() }
    }
    while (open > 0 && end.hasTimeLeft()) {
      selector.select(end.timeLeft.toMillis.max(1))
      if (Thread.interrupted()) throw new InterruptedException
      receive()
    }
    replies.result()
  }

  /** Waits until each connection has been answered or closed by the server, and returns how many were answered.
    *
    * @param limit how long it waits for the answers
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

  override def toString: String = if (selector.isOpen) Say.count(size, "connection") else "closed"

  def close(): Unit = {
    if (selector.isOpen) {
      selector.keys.asScala.foreach(_.channel.close())
      selector.selectNow() // Otherwise the closed selector keeps its channels (`EPollSelectorImpl.fdToKey`).
      selector.close()
    }
  }
}

object HeldConnections {

  /** Returns how many connections this process may open, by its file descriptors, some of which are left for other purposes; `None` if the
    * system doesn't report the limit.
    */
  def most: Option[Int] = ManagementFactory.getOperatingSystemMXBean match {
    case system: UnixOperatingSystemMXBean =>
      Some((system.getMaxFileDescriptorCount - system.getOpenFileDescriptorCount - spare).max(0).min(Int.MaxValue.toLong).toInt)
    case _ => None
  }

  private val spare = 300L
  private val status = "HTTP/1.1 ".length

  private def request(path: String): Array[Byte] = s"GET $path HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(US_ASCII)

  private def read(key: SelectionKey, buffer: ByteBuffer): Int =
    try channel(key).read(buffer)
    catch { case _: IOException => -1 } // A reset is no answer.

  private def channel(key: SelectionKey): SocketChannel = key.channel match {
    case channel: SocketChannel => channel
    case other                  => throw new IllegalStateException(s"$other was never opened here")
  }

  private def asked(key: SelectionKey): Long = key.attachment match {
    case at: java.lang.Long => at
    case other              => throw new IllegalStateException(s"$other is no time: this connection was never asked")
  }
}

/** The times of one connection's request and answer, in nanoseconds since the first connection asked. */
final case class Reply(askedNanos: Long, cameNanos: Long) {

  /** Returns how long the answer took. */
  def tookNanos: Long = cameNanos - askedNanos
}

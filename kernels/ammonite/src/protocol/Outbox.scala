package ammonite.course

import java.util.ArrayDeque
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.ReentrantLock

import scala.collection.mutable

import org.dflib.jjava.jupyter.channels.IOPubChannel
import org.dflib.jjava.jupyter.kernel.KernelConnectionProperties
import org.dflib.jjava.jupyter.kernel.display.DisplayData
import org.dflib.jjava.jupyter.messages.{HMACGenerator, Message, MessageContext}
import org.dflib.jjava.jupyter.messages.publish.{PublishStream, PublishUpdateDisplayData}
import org.zeromq.{SocketType, ZMQ}

/** The IOPub socket with a queue in front of it.
  *
  * Any thread may write, but one thread sends, for three reasons. A thread that was interrupted must not touch a ZeroMQ socket, because its
  * channels close. Text printed in small pieces has to travel in large ones, because JupyterLab drops what arrives in thousands of messages
  * a second. And among many updates to one display, only the newest is worth sending.
  */
final class Outbox private[course] (context: ZMQ.Context, wire: Wire, log: Log)
    extends IOPubChannel(context, HMACGenerator.NO_AUTH_INSTANCE) {
  import Outbox._

  // Closes the library's own socket, a PUB socket of JeroMQ, which keeps forever what a peer sends if that is no subscription.
  super.close()

  private val socket = context.socket(SocketType.XPUB)
  socket.setMaxMsgSize(Inlet.ofSignals.bytes.toLong)
  socket.setMsgAllocator(new Inlet.Allocator(Inlet.ofSignals.bytes))

  private val lock = new ReentrantLock
  private val filled = lock.newCondition()
  private val emptied = lock.newCondition()

  private var queue = new ArrayDeque[Entry]
  private val waitingUpdates = mutable.Map.empty[String, Update]
  private var waitingChars = 0L
  private var urgent = false
  private var sending = false
  @volatile private var ended = false

  private val sender = new Thread(() => sendForever(), "jupyter-iopub")
  sender.setDaemon(true)

  override def bind(properties: KernelConnectionProperties): Unit = {
    // Without this, the socket would drop everything beyond 1,000 unsent messages.
    socket.setSndHWM(0)
    socket.setLinger(lingerMillis)
    Inlet.bind(socket, properties, properties.getIopubPort)
    sender.start()
  }

  /** Sends a message after everything that was written before it.
    *
    * @throws java.lang.RuntimeException if the message can't be written as JSON
    */
  override def sendMessage(message: Message[_]): Unit = {
    // Written here and not by the sender, so that the caller learns what is wrong with the message.
    val ready = Ready(wire.write(message))
    locked {
      queue.add(ready)
      urgent = true
      filled.signal()
    }
  }

  /** Appends to the last piece of text if it belongs to the same stream of the same cell. Waits while too much is unsent. */
  def stream(parent: MessageContext, kind: PublishStream.StreamType, text: String): Unit = locked {
    while (waitingChars > maxWaitingChars && sender.isAlive) emptied.await(1, TimeUnit.SECONDS)
    queue.peekLast() match {
      case last: Stream if last.kind == kind && (last.parent eq parent) && last.text.length < maxMessageChars => last.text.append(text)
      case _ =>
        queue.add(new Stream(parent, kind, new StringBuilder(text)))
    }
    waitingChars += text.length
    filled.signal()
  }

  /** Replaces an unsent update of the same display, so that ten thousand updates cost a handful of messages. */
  def update(parent: MessageContext, id: String, data: DisplayData): Unit = locked {
    waitingUpdates.get(id) match {
      case Some(waiting) => waiting.data = data
      case None =>
        val entry = new Update(parent, id, data)
        waitingUpdates(id) = entry
        queue.add(entry)
    }
    filled.signal()
  }

  /** Waits until all that was written so far has been passed to ZeroMQ, but at most for `seconds`. */
  def flush(seconds: Int): Boolean = locked {
    urgent = true
    filled.signal()
    var left = TimeUnit.SECONDS.toNanos(seconds.toLong)
    while ((!queue.isEmpty || sending) && left > 0) left = emptied.awaitNanos(left)
    queue.isEmpty && !sending
  }

  private def sendForever(): Unit =
    while (true)
      try {
        takeBatch().forEach(send(_))
        locked {
          sending = false
          emptied.signalAll()
        }
      } catch {
        // If a cell interrupts all threads that it finds, later cells can still print.
        case _: InterruptedException => ()
        case thrown: Throwable       => lost(thrown)
      }

  /** Sends one entry. If one can't be sent (perhaps because the heap is full), the others must not be lost with it. */
  private def send(entry: Entry): Unit =
    try {
      val frames = entry.frames(wire)
      frames.init.foreach(socket.sendMore(_))
      socket.send(frames.last)
      // Discards what peers send here, above all subscriptions, which have taken effect by now.
      while (socket.recv(ZMQ.DONTWAIT) != null) ()
    } catch { case thrown: Throwable => lost(thrown) }

  private def lost(thrown: Throwable): Unit = if (!ended) log.sparsely(s"an output was lost: ${Log.stackTrace(thrown)}")

  /** Closes the socket; unsent messages remain unsent. */
  override def close(): Unit = {
    ended = true
    socket.close()
  }

  private def takeBatch(): ArrayDeque[Entry] = locked {
    while (queue.isEmpty) filled.await()
    // Text and updates may wait a moment for more of their kind. Anything else is sent immediately.
    var left = TimeUnit.MILLISECONDS.toNanos(gatherMillis)
    while (!urgent && left > 0 && waitingChars < maxMessageChars) left = filled.awaitNanos(left)
    // First comes what may fail on a full heap.
    val empty = new ArrayDeque[Entry]
    val batch = queue
    queue = empty
    urgent = false
    waitingUpdates.clear()
    waitingChars = 0
    sending = true
    emptied.signalAll()
    batch
  }

  private def locked[A](body: => A): A = {
    // Not interruptibly, so that a cell that is being interrupted can still print its last words.
    lock.lock()
    try body
    finally lock.unlock()
  }
}

object Outbox {
  private val gatherMillis = 15L
  private val lingerMillis = 1000
  private val maxMessageChars = 256 * 1024
  private val maxWaitingChars = 4L * 1024 * 1024

  private sealed trait Entry { def frames(wire: Wire): Seq[Array[Byte]] }

  private final case class Ready(written: Seq[Array[Byte]]) extends Entry {
    def frames(wire: Wire): Seq[Array[Byte]] = written
  }

  private final class Stream(val parent: MessageContext, val kind: PublishStream.StreamType, val text: StringBuilder) extends Entry {
    def frames(wire: Wire): Seq[Array[Byte]] =
      wire.write(new Message(parent, PublishStream.MESSAGE_TYPE, new PublishStream(kind, text.toString)))
  }

  private final class Update(val parent: MessageContext, id: String, var data: DisplayData) extends Entry {
    def frames(wire: Wire): Seq[Array[Byte]] = {
      data.setDisplayId(id)
      wire.write(new Message(parent, PublishUpdateDisplayData.MESSAGE_TYPE, new PublishUpdateDisplayData(data)))
    }
  }

}

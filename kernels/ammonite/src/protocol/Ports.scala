package ammonite.course

import java.lang.Thread.UncaughtExceptionHandler
import java.util.ArrayList
import java.util.concurrent.{ConcurrentLinkedQueue, LinkedBlockingQueue, TimeUnit}

import scala.jdk.CollectionConverters._

import org.dflib.jjava.jupyter.kernel.KernelConnectionProperties
import org.dflib.jjava.jupyter.messages.Message
import org.zeromq.ZMQ

/** Shell, control, stdin and heartbeat, and the one thread that touches their sockets.
  *
  * That thread reads immediately whatever arrives, so that messages from strangers take no room while a cell runs. And no cell's thread,
  * which may be interrupted at any moment, touches a socket.
  *
  * @param deaf called when that thread dies
  */
private[course] final class Ports(context: ZMQ.Context, wire: Wire, log: Log, deaf: UncaughtExceptionHandler) {
  private val bell = new Doorbell
  private val unsent = new ConcurrentLinkedQueue[(ZMQ.Socket, Seq[Array[Byte]])]
  @volatile private var closing = false

  val shell = new Port("shell")
  val control = new Port("control")
  val stdin = new Port("stdin")
  private val heartbeat = new Inlet(context, Inlet.ofSignals)

  private val thread = new Thread(() => serve(), "jupyter-sockets")
  thread.setUncaughtExceptionHandler(deaf)

  /** One of the three ports with messages: a queue of what arrived, and a way to answer. Thread-safe. */
  final class Port private[Ports] (name: String) {
    private[Ports] val inlet = new Inlet(context, Inlet.ofMessages)
    private val received = new LinkedBlockingQueue[Wire.Incoming]
    // Only a peer that signs gets a reply. Without this setting, a slow reader would lose those beyond 1,000.
    inlet.socket.setSndHWM(0)

    /** Waits for the next message. */
    def take(): Wire.Incoming = received.take()

    def take(millis: Long): Option[Wire.Incoming] = Option(received.poll(millis, TimeUnit.MILLISECONDS))

    /** Takes all messages that wait now. */
    def takeAll(): List[Wire.Incoming] = {
      val all = new ArrayList[Wire.Incoming]
      received.drainTo(all)
      all.asScala.toList
    }

    /** Queues a message to be sent.
      *
      * @throws java.lang.RuntimeException if it can't be written as JSON; nothing is sent then
      */
    def send(message: Message[_]): Unit = {
      unsent.add(inlet.socket -> wire.write(message))
      bell.ring()
    }

    private[Ports] def receive(): Unit = inlet.next().foreach { taken =>
      val incoming = if (taken.whole) wire.read(taken.frames) else Wire.Rejected("it is too large")
      incoming match {
        case Wire.Rejected(why) => log.sparsely(s"a message on the $name port is ignored: $why")
        case readable           => received.put(readable)
      }
    }
  }

  /** Binds the sockets and starts the thread.
    *
    * @throws ConnectionFile.Problem if a port is taken
    */
  def bind(properties: KernelConnectionProperties): Unit = {
    Inlet.bind(heartbeat.socket, properties, properties.getHbPort)
    Inlet.bind(stdin.inlet.socket, properties, properties.getStdinPort)
    Inlet.bind(shell.inlet.socket, properties, properties.getShellPort)
    Inlet.bind(control.inlet.socket, properties, properties.getControlPort)
    thread.start()
  }

  /** Sends what is unsent and closes the sockets; waits for at most `millis`. */
  def close(millis: Long): Unit = {
    closing = true
    bell.ring()
    thread.join(millis)
  }

  private def serve(): Unit = {
    val receivers = Seq[(Inlet, () => Unit)](
      shell.inlet -> (() => shell.receive()),
      control.inlet -> (() => control.receive()),
      stdin.inlet -> (() => stdin.receive()),
      heartbeat -> (() => echo())
    )
    val poller = context.poller(receivers.size + 1)
    receivers.foreach { case (inlet, _) => poller.register(inlet.socket, ZMQ.Poller.POLLIN) }
    poller.register(bell.channel, ZMQ.Poller.POLLIN)
    while (!closing) {
      // If a cell interrupts all threads that it finds, this one loops in vain at most once.
      Thread.interrupted()
      poller.poll(-1)
      bell.heard()
      sendAll()
      // One message from each, so that a flood on one port doesn't hold up another.
      for (((_, receive), index) <- receivers.zipWithIndex if poller.pollin(index)) survive(receive())
    }
    sendAll()
    receivers.foreach { case (inlet, _) => inlet.socket.close() }
  }

  /** Returns what the front end sends, as the sign that the kernel lives. */
  private def echo(): Unit = heartbeat.next().filter(_.whole).foreach(ping => send(heartbeat.socket, ping.frames))

  private def sendAll(): Unit =
    Iterator.continually(unsent.poll()).takeWhile(_ != null).foreach { case (socket, frames) => survive(send(socket, frames)) }

  private def send(socket: ZMQ.Socket, frames: Seq[Array[Byte]]): Unit = {
    frames.init.foreach(socket.sendMore(_))
    val _ = socket.send(frames.last)
  }

  /** Keeps a failure with one message from affecting others. */
  private def survive(body: => Unit): Unit =
    try body
    catch { case thrown: Throwable => log.sparsely(s"a message was lost: ${Log.stackTrace(thrown)}") }
}

package ammonite.course

import scala.util.control.NonFatal

import org.dflib.jjava.jupyter.channels.{IOPubChannel, JupyterConnection, ShellChannel, ShellHandler, ShellReplyEnvironment, StdinChannel}
import org.dflib.jjava.jupyter.kernel.KernelConnectionProperties
import org.dflib.jjava.jupyter.messages.{Message, MessageContext, MessageType}
import org.dflib.jjava.jupyter.messages.publish.PublishStatus
import org.dflib.jjava.jupyter.messages.reply.InputReply
import org.dflib.jjava.jupyter.messages.request.InputRequest
import org.zeromq.ZMQ

/** The five sockets of a kernel: the library's, with loops of our own.
  *
  * The library's loop looks for a message every 50 ms, ends at the first malformed one, and knows no aborting; ours waits in ZeroMQ, survives,
  * and can turn away what is queued. Cells run on the thread of the shell loop.
  */
final class Connection(properties: KernelConnectionProperties) extends JupyterConnection(properties) {

  // A context of its own, because the library keeps its context to itself.
  private val outboxContext = ZMQ.context(1)
  val outbox = new Outbox(outboxContext, properties.createHMACGenerator())

  private val loops = Seq(
    new Thread(null, () => serve(shell), "cells", Connection.cellStackBytes),
    new Thread(() => serve(control), "jupyter-control")
  )

  override def getIOPub: IOPubChannel = outbox

  override def prepareReplyEnv(channel: ShellChannel, context: MessageContext): ShellReplyEnvironment =
    new Connection.Reply(channel, stdin, outbox, context)

  override def connect(): Unit = {
    heartbeat.bind(properties)
    stdin.bind(properties)
    outbox.bind(properties)
    bindTo(shell, properties.getShellPort)
    bindTo(control, properties.getControlPort)
    outbox.sendMessage(new Message(null, PublishStatus.MESSAGE_TYPE, PublishStatus.STARTING))
    loops.foreach(_.start())
  }

  private def bindTo(socket: ZMQ.Socket, port: Int): Unit = {
    val _ = socket.bind(s"${properties.getTransport}://${properties.getIp}:$port")
  }

  /** The messages that wait on the shell socket, taken off it. On the cell thread only. */
  def takeQueued(): List[Message[_]] = {
    val poller = pollerOf(shell)
    try Iterator.continually(poller.poll(0)).takeWhile(_ > 0).flatMap(_ => receive(shell)).toList
    finally poller.close()
  }

  /** Answers `aborted` to the execute requests among `messages`, and the others as ever: called after a cell failed. */
  def abort(messages: List[Message[_]]): Unit = messages.foreach { message =>
    if (message.getHeader.getType == MessageType.EXECUTE_REQUEST) refuse(message) else handle(shell, message)
  }

  private def refuse(message: Message[_]): Unit = {
    val env = prepareReplyEnv(shell, message)
    env.setBusyDeferIdle()
    env.reply(Json.message(message, MessageType.EXECUTE_REPLY, Json.status("aborted")))
    env.resolveDeferrals()
  }

  private def serve(socket: ShellChannel): Unit = {
    val poller = pollerOf(socket)
    while (true) {
      // A cell may leave the flag set on its thread, and a ZeroMQ socket must not see it.
      Thread.interrupted()
      try if (poller.poll(-1) > 0) receive(socket).foreach(handle(socket, _))
      catch {
        case NonFatal(_) | _: VirtualMachineError | _: LinkageError => () // the next message gets its chance
      }
    }
  }

  /** The next message; none when it can't be read or its signature is not ours. */
  private def receive(socket: ShellChannel): Option[Message[_]] =
    try Option(socket.readMessage())
    catch { case NonFatal(_) => None }

  private def handle(socket: ShellChannel, message: Message[_]): Unit = {
    val handler: ShellHandler[Any] = getHandler(message.getHeader.getType.asInstanceOf[MessageType[Any]])
    if (handler != null) {
      val env = prepareReplyEnv(socket, message)
      try handler.handle(env, message.asInstanceOf[Message[Any]])
      finally env.resolveDeferrals()
    }
  }

  /** Sends what is still unsent and closes the sockets, whatever a cell may be doing; takes two seconds at most. */
  def finish(): Unit = {
    val _ = outbox.flush(seconds = 1)
    val closer = new Thread(() => close(), "jupyter-close")
    closer.setDaemon(true)
    closer.start()
    closer.join(Connection.closeMillis)
  }

  private def pollerOf(socket: ZMQ.Socket): ZMQ.Poller = {
    val poller = outboxContext.poller(1)
    poller.register(socket, ZMQ.Poller.POLLIN)
    poller
  }

  /** Asks the front end for a line of text. To be called from a thread that nobody interrupts; `wanted` turning false gives up. */
  def ask(context: MessageContext, prompt: String, password: Boolean, wanted: () => Boolean): Option[String] = {
    val poller = pollerOf(stdin)
    // An answer that comes after its cell was interrupted must not answer the next question.
    while (poller.poll(0) > 0) stdin.readMessage()
    stdin.sendMessage(new Message(context, InputRequest.MESSAGE_TYPE, new InputRequest(prompt, password)))
    var answer = Option.empty[String]
    while (answer.isEmpty && wanted())
      if (poller.poll(Connection.askMillis) > 0) answer = Option(stdin.readMessage().getContent).collect { case reply: InputReply =>
        reply.getValue
      }
    poller.close()
    answer
  }
}

object Connection {

  /** Deep enough for scalac on a long cell; a runaway recursion still ends in a StackOverflowError within milliseconds. */
  private val cellStackBytes = 16L * 1024 * 1024

  private val askMillis = 50L
  private val closeMillis = 1000L

  // The constructor is protected in the library.
  private final class Reply(shell: ShellChannel, stdin: StdinChannel, iopub: Outbox, context: MessageContext)
      extends ShellReplyEnvironment(shell, stdin, iopub, context)
}

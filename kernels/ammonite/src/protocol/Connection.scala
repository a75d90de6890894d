package ammonite.course

import java.lang.Thread.UncaughtExceptionHandler

import org.dflib.jjava.jupyter.channels.{IOPubChannel, JupyterConnection, ShellHandler}
import org.dflib.jjava.jupyter.kernel.KernelConnectionProperties
import org.dflib.jjava.jupyter.messages.{Message, MessageContext, MessageType}
import org.dflib.jjava.jupyter.messages.publish.PublishStatus
import org.dflib.jjava.jupyter.messages.reply.InputReply
import org.dflib.jjava.jupyter.messages.request.InputRequest
import org.zeromq.ZContext

/** Connects a kernel's five sockets with the library's handlers, but uses separate sockets and loops.
  *
  * The library's loop looks for a message every 50 ms, ends at the first malformed one, and can't abort requests. Its sockets mix up the
  * frames of different messages. Cells run on the thread of the shell loop.
  */
final class Connection(properties: KernelConnectionProperties, val log: Log = Log.ofProcess) extends JupyterConnection(properties) {
  // Closes the library's own sockets, to which nothing is bound.
  super.close()

  private val context = openContext()
  private val wire = new Wire(properties.createHMACGenerator())
  private val ports = new Ports(context.getContext, wire, log, deaf)
  val outbox = new Outbox(context.getContext, wire, log)

  private val loops = Seq(
    new Thread(null, () => serve(ports.shell), "cells", Connection.cellStackBytes),
    new Thread(() => serve(ports.control), "jupyter-control")
  )

  private def openContext(): ZContext = {
    val made = new ZContext(1)
    made.setUncaughtExceptionHandler(deaf)
    made.setNotificationExceptionHandler((_, thrown) => log.sparsely(s"a connection failed: ${Log.stackTrace(thrown)}"))
    made
  }

  /** Ends the kernel if nobody could reach it any more, not even to shut it down. Jupyter then starts another one. */
  private def deaf: UncaughtExceptionHandler = (thread, thrown) => {
    log.line(s"the thread ${thread.getName}, which serves the sockets, died, so the kernel ends: ${Log.stackTrace(thrown)}")
    Runtime.getRuntime.halt(1)
  }

  override def getIOPub: IOPubChannel = outbox

  /** Listens on the ports. Requests wait there until `connect`.
    *
    * @throws ConnectionFile.Problem if a port is taken
    */
  def listen(): Unit = {
    outbox.bind(properties)
    ports.bind(properties)
  }

  override def connect(): Unit = {
    outbox.sendMessage(new Message(null, PublishStatus.MESSAGE_TYPE, PublishStatus.STARTING))
    loops.foreach(_.start())
  }

  /** Takes the waiting requests from the shell loop. */
  def takeQueued(): List[Wire.Incoming] = ports.shell.takeAll()

  /** Answers `aborted` to the execute requests among `requests`, and answers the others as usual. It is called after a cell failed. */
  def abort(requests: List[Wire.Incoming]): Unit = requests.foreach {
    case Wire.Received(message) if message.getHeader.getType == MessageType.EXECUTE_REQUEST =>
      val answer = answerTo(ports.shell, message)
      answer.complete {
        answer.setBusyDeferIdle()
        answer.reply(Json.message(message, MessageType.EXECUTE_REPLY, Json.status("aborted")))
      }
    case other => handle(ports.shell, other)
  }

  private def serve(port: Ports#Port): Unit =
    while (true)
      try handle(port, port.take())
      catch {
        // A cell may leave the interrupt flag set on its thread. After any other failure, the next message gets its chance.
        case _: InterruptedException => ()
        case thrown: Throwable       => log.line(s"a request failed in the kernel: ${Log.stackTrace(thrown)}")
      }

  private def handle(port: Ports#Port, incoming: Wire.Incoming): Unit = incoming match {
    case Wire.Received(message) =>
      val handler: ShellHandler[Any] = getHandler(message.getHeader.getType.asInstanceOf[MessageType[Any]])
      if (handler == null) log.sparsely(s"a message is ignored: this kernel doesn't handle ${message.getHeader.getType.getName}")
      else {
        val answer = answerTo(port, message)
        answer.complete(handler.handle(answer, message.asInstanceOf[Message[Any]]))
      }
    case Wire.Unreadable(request, why) => answerTo(port, request).refuse(why)
    case Wire.Rejected(_)              => ()
  }

  private def answerTo(port: Ports#Port, request: MessageContext): Answer = new Answer(port.send, outbox.sendMessage, request, log)

  /** Sends what is still unsent and closes the sockets, whatever a cell does. Takes at most two seconds. */
  def finish(): Unit = {
    val _ = outbox.flush(seconds = 1)
    val closer = new Thread(() => close(), "jupyter-close")
    closer.setDaemon(true)
    closer.start()
    closer.join(Connection.closeMillis)
  }

  override def close(): Unit = {
    ports.close(Connection.closeMillis)
    outbox.close()
    context.close()
  }

  /** Asks the front end for a line of text, and gives up when `wanted` becomes false. */
  def ask(context: MessageContext, prompt: String, password: Boolean, wanted: () => Boolean): Option[String] = {
    // An answer that arrives after its cell was interrupted must not answer the next question.
    ports.stdin.takeAll()
    ports.stdin.send(new Message(context, InputRequest.MESSAGE_TYPE, new InputRequest(prompt, password)))
    var answer = Option.empty[String]
    while (answer.isEmpty && wanted())
      answer = ports.stdin.take(Connection.askMillis).collect { case Wire.Received(Connection.Input(text)) => text }
    answer
  }
}

object Connection {

  /** Deep enough for scalac on a long cell; a runaway recursion still ends in a StackOverflowError within milliseconds. */
  private val cellStackBytes = 16L * 1024 * 1024

  private val askMillis = 50L
  private val closeMillis = 1000L

  private object Input {
    def unapply(message: Message[_]): Option[String] = message.getContent match {
      case reply: InputReply => Option(reply.getValue)
      case _                 => None
    }
  }
}

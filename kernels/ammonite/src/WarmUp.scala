package ammonite.course

import java.net.{InetAddress, ServerSocket}
import java.util.UUID
import java.util.concurrent.TimeUnit

import scala.util.Using

import org.dflib.jjava.jupyter.kernel.KernelConnectionProperties
import org.dflib.jjava.jupyter.messages.{Header, Message, MessageType}
import org.dflib.jjava.jupyter.messages.reply.ErrorReply
import org.dflib.jjava.jupyter.messages.request.{ExecuteRequest, KernelInfoRequest}
import org.zeromq.{SocketType, ZContext, ZMQ}

/** Loads what a reader's first minutes load, so that the start-up archive holds it. It runs a kernel with its own front end, over real
  * sockets.
  */
object WarmUp {

  /** Starts a kernel, runs the cells and ends the kernel.
    *
    * @throws IllegalStateException if a cell fails or isn't answered
    */
  def run(storage: os.Path): Unit = Using.resource(new ZContext(1)) { context =>
    val properties = onFreePorts()
    val connection = new Connection(properties)
    connection.listen()
    val kernel = new Kernel(connection, storage)
    kernel.start()
    kernel.becomeHandlerForConnection(connection)
    connection.connect()
    val frontEnd = new FrontEndOf(properties, context)
    frontEnd.ask(KernelInfoRequest.MESSAGE_TYPE, new KernelInfoRequest)
    cells.foreach(code => frontEnd.ask(ExecuteRequest.MESSAGE_TYPE, new ExecuteRequest(code, false, true, java.util.Map.of(), false, true)))
    val _ = kernel.complete("List(1).ma", 10)
    connection.finish()
  }

  /** Finds free ports. Another program could take one in the moment before the kernel does. Then the archive is made at the next set-up. */
  private def onFreePorts(): KernelConnectionProperties = {
    val sockets = Seq.fill(5)(new ServerSocket(0, 1, InetAddress.getLoopbackAddress))
    val ports = Seq("shell", "iopub", "stdin", "control", "hb").zip(sockets).map { case (name, socket) =>
      s""""${name}_port": ${socket.getLocalPort}"""
    }
    sockets.foreach(_.close())
    val rest = s""""ip": "127.0.0.1", "transport": "tcp", "signature_scheme": "hmac-sha256", "key": "${UUID.randomUUID}""""
    KernelConnectionProperties.parse((rest +: ports).mkString("{", ", ", "}"))
  }

  /** The part of a front end that is needed to ask and to wait for the answer. */
  private final class FrontEndOf(properties: KernelConnectionProperties, context: ZContext) {
    private val wire = new Wire(properties.createHMACGenerator())
    private val iopub = connected(SocketType.SUB, properties.getIopubPort)
    private val shell = connected(SocketType.DEALER, properties.getShellPort)
    iopub.subscribe("")
    shell.setReceiveTimeOut(patienceMillis)

    private def connected(kind: SocketType, port: Int): ZMQ.Socket = {
      val socket = context.createSocket(kind)
      socket.connect(s"tcp://127.0.0.1:$port")
      socket
    }

    def ask[A](kind: MessageType[A], content: A): Unit = {
      val frames = wire.write(new Message(new Header(kind), content))
      frames.zipWithIndex.foreach { case (frame, index) => shell.send(frame, if (index < frames.size - 1) ZMQ.SNDMORE else 0) }
      wire.read(answer()) match {
        case Wire.Received(message) =>
          message.getContent match {
            case error: ErrorReply =>
              throw new IllegalStateException(s"a warm-up cell failed: ${error.getErrorName}: ${error.getErrorMessage}")
            case _ => ()
          }
        // The library has no class for some answers.
        case Wire.Unreadable(_, _) => ()
        case Wire.Rejected(why)    => throw new IllegalStateException(s"the kernel's answer to ${kind.getName} can't be read: $why")
      }
      while (iopub.recv(ZMQ.DONTWAIT) != null) ()
    }

    private def answer(): Seq[Array[Byte]] = {
      val first = shell.recv()
      if (first == null) throw new IllegalStateException(s"no answer within ${TimeUnit.MILLISECONDS.toSeconds(patienceMillis.toLong)} s")
      first +: Iterator.continually(shell).takeWhile(_.hasReceiveMore).map(_.recv()).toSeq
    }
  }

  private val patienceMillis = 60000

  private val cells = Seq(
    "1 + 1",
    "import scala.concurrent._, duration._, ExecutionContext.Implicits.global\nval answer = Await.result(Future(41).map(_ + 1), 5.seconds)",
    "case class Task(label: String, nanos: Long)\nval tasks = (1 to 10).map(n => Task(s\"task $n\", n * 1000L))\ntasks.groupBy(_.nanos % 2).view.mapValues(_.size).toMap",
    "def fibonacci(n: Int): BigInt = Iterator.iterate((BigInt(0), BigInt(1))) { case (a, b) => (b, a + b) }.drop(n).next()._1\nfibonacci(50)",
    "val pool = java.util.concurrent.Executors.newFixedThreadPool(2)\npool.shutdown()",
    "val machine = Machine.preflight()"
  )
}

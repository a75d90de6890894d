package ammonite.course

import java.io.{InputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{CompletableFuture, CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.util.control.NonFatal

import ammonite.course.Session.{Completeness, Outcome}
import org.dflib.jjava.jupyter.channels.{JupyterConnection, ShellReplyEnvironment}
import org.dflib.jjava.jupyter.kernel.{BaseKernel, ExpressionValue, LanguageInfo, ReplacementOptions}
import org.dflib.jjava.jupyter.kernel.display.DisplayData
import org.dflib.jjava.jupyter.messages.{Header, Message, MessageContext, MessageType}
import org.dflib.jjava.jupyter.messages.publish.{PublishError, PublishExecuteInput, PublishExecuteResult, PublishStream}
import org.dflib.jjava.jupyter.messages.reply.{ErrorReply, ExecuteReply, InterruptReply}
import org.dflib.jjava.jupyter.messages.request.{ExecuteRequest, HistoryRequest, InterruptRequest, KernelInfoRequest, ShutdownRequest}

/** A Scala kernel, which passes Jupyter's requests to a [[Session]].
  *
  * The library answers what needs no session (kernel_info, comm, the envelopes of completion and inspection). This class itself executes,
  * interrupts and shuts down.
  */
final class Kernel(connection: Connection, storage: os.Path) extends BaseKernel {
  import Kernel._

  private val running = new RunningCell
  private val unlisted = new AtomicInteger(firstUnlisted)
  private val ready = new CountDownLatch(1)
  private val inputs = new InputHistory

  /** The request whose cell runs or ran last. All output belongs to it. */
  @volatile private var current = Option.empty[MessageContext]
  @volatile private var silent = false
  @volatile private var stdinAllowed = false

  private val outbox = connection.outbox
  private val out = streamOf(PublishStream.StreamType.OUT)
  private val err = streamOf(PublishStream.StreamType.ERR)

  @volatile private var startFailure = Option.empty[Throwable]
  private var session: Session = _

  /** Redirects the standard streams, and starts the interpreter while the front end asks its first questions. */
  def start(): Unit = {
    System.setOut(out)
    System.setErr(err)
    System.setIn(new LineInput(() => readLine()))
    lab.show.Display.install(new KernelDisplay(outbox, () => current.filterNot(_ => silent)))
    val starter = new Thread(() => startSession(), "session-start")
    starter.setDaemon(true)
    starter.start()
  }

  private def startSession(): Unit =
    try {
      session = new Session(storage, out, err)
      lab.magic.SessionClasses.install(session.define(_, _))
    } catch {
      case thrown: Throwable => startFailure = Some(thrown)
    } finally ready.countDown()

  override def becomeHandlerForConnection(connection: JupyterConnection): Unit = {
    super.becomeHandlerForConnection(connection)
    connection.setHandler[ExecuteRequest](MessageType.EXECUTE_REQUEST, (env, message) => execute(env, message))
    connection.setHandler[InterruptRequest](MessageType.INTERRUPT_REQUEST, (env, _) => interrupt(env))
    connection.setHandler[ShutdownRequest](MessageType.SHUTDOWN_REQUEST, (env, message) => shutdown(env, message))
    connection.setHandler[HistoryRequest](MessageType.HISTORY_REQUEST, (env, message) => history(env, message))
    connection.setHandler[KernelInfoRequest](MessageType.KERNEL_INFO_REQUEST, (env, message) => kernelInfo(env, message))
  }

  // The library's own answers to these lack the status that the protocol requires, and its history isn't a list of lists.
  private def kernelInfo(env: ShellReplyEnvironment, message: Message[KernelInfoRequest]): Unit = {
    val info = Json.ok
    info.addProperty("protocol_version", Header.PROTOCOL_VERISON)
    info.addProperty("implementation", "ammonite")
    info.addProperty("implementation_version", ammonite.Constants.version)
    info.addProperty("banner", getBanner)
    info.add("language_info", Json.of(getLanguageInfo))
    env.setBusyDeferIdle()
    env.reply(Json.message(message, MessageType.KERNEL_INFO_REPLY, info))
  }

  private def history(env: ShellReplyEnvironment, message: Message[HistoryRequest]): Unit = {
    val answer = Json.ok
    answer.add("history", inputs.answer(message.getContent))
    env.setBusyDeferIdle()
    env.reply(Json.message(message, MessageType.HISTORY_REPLY, answer))
  }

  private def execute(env: ShellReplyEnvironment, message: Message[ExecuteRequest]): Unit = {
    val request = message.getContent
    val listed = !request.isSilent && request.shouldStoreHistory
    val number = if (listed) executionCount.getAndIncrement() else unlisted.getAndIncrement()
    val shown = if (listed) number else executionCount.get
    current = Some(message)
    silent = request.isSilent
    stdinAllowed = request.isStdinEnabled
    env.setBusyDeferIdle()
    if (listed) inputs.add(number, request.getCode)
    if (!silent) env.publish(new PublishExecuteInput(request.getCode, shown))
    val outcome = runCell(request.getCode, number)
    out.flush()
    err.flush()
    outcome match {
      case Outcome.Value(text) =>
        if (text.nonEmpty && !silent) env.publish(new PublishExecuteResult(shown, new DisplayData(text)))
        env.defer().reply(new ExecuteReply(shown, evaluate(request.getUserExpr)))
      case failed => fail(env, request, shown, reportOf(failed))
    }
  }

  /** Evaluates the request's user_expressions: what each prints, or how it fails. */
  private def evaluate(expressions: java.util.Map[String, String]): java.util.Map[String, ExpressionValue] = {
    val values = new java.util.LinkedHashMap[String, ExpressionValue]
    Option(expressions).foreach(_.forEach { (name, code) =>
      val value = runCell(code, unlisted.getAndIncrement()) match {
        case Outcome.Value(text) => new ExpressionValue.Success(new DisplayData(text))
        case failed =>
          val report = reportOf(failed)
          new ExpressionValue.Error(report.name, report.value, java.util.List.of())
      }
      val _ = values.put(name, value)
    })
    values
  }

  /** Runs a cell in the library's own way, which [[execute]] replaces. */
  override def eval(code: String): DisplayData = runCell(code, unlisted.getAndIncrement()) match {
    case Outcome.Value(text) => new DisplayData(text)
    case failed              => throw new IllegalArgumentException(reportOf(failed).lines.mkString("\n"))
  }

  private def runCell(code: String, number: Int): Outcome =
    try
      running.run {
        ready.await()
        startFailure.foreach(throw _)
        session.run(code, number)
      }
    catch {
      case thrown: Throwable => Outcome.Thrown(thrown)
    }

  private def reportOf(outcome: Outcome): Report = outcome match {
    case failed: Outcome.Failed => Report.of(failed)
    case Outcome.Thrown(thrown) => Report.of(thrown)
    case _ =>
      val remedy = "exit ends a script, not a kernel: choose Kernel, then Shut Down or Restart, from the menu"
      Report("Exit", remedy, List(remedy))
  }

  private def fail(env: ShellReplyEnvironment, request: ExecuteRequest, count: Int, report: Report): Unit = {
    val lines = new java.util.ArrayList[String]
    report.lines.foreach(lines.add)
    if (!silent) env.publish(new PublishError(report.name, report.value, lines))
    val reply = new ErrorReply(report.name, report.value, lines)
    reply.setExecutionCount(count)
    // Taken before the front end gets the failure, because what it sends after that is meant to run.
    val queued = if (request.shouldStopOnError) connection.takeQueued() else Nil
    env.replyError(ExecuteReply.MESSAGE_TYPE.error(), reply)
    connection.abort(queued)
  }

  private def interrupt(env: ShellReplyEnvironment): Unit = {
    env.setBusyDeferIdle()
    running.interrupt().foreach { stillRuns =>
      val parent = current
      val watcher = new Thread(() => adviseIfStillRunning(stillRuns, parent), "interrupt-watch")
      watcher.setDaemon(true)
      watcher.start()
    }
    env.defer().reply(new InterruptReply)
  }

  /** Advises the reader if the interrupted cell still runs. Since JDK 20, no thread can be stopped from outside, so waiting for a loop that
    * only computes would be useless.
    */
  private def adviseIfStillRunning(stillRuns: () => Boolean, parent: Option[MessageContext]): Unit = {
    val deadline = System.nanoTime + TimeUnit.SECONDS.toNanos(2)
    while (stillRuns() && System.nanoTime < deadline) Thread.sleep(50)
    val line = running.stackTrace.flatMap(frame => CellName.numberOf(frame.getFileName).map((_, frame.getLineNumber))).headOption
    if (stillRuns()) parent.foreach { cell =>
      val where = line.fold("")(at => s" It is at ${CellName.spoken(at._1)}, line ${at._2}.")
      val advice =
        "The cell was interrupted, but it goes on computing. The JVM can't stop a thread that neither sleeps nor waits." + where +
          " Wait for it, or choose Kernel, then Restart. A loop that asks `Thread.interrupted()` can be interrupted.\n"
      outbox.stream(cell, PublishStream.StreamType.ERR, advice)
    }
  }

  private def shutdown(env: ShellReplyEnvironment, message: Message[ShutdownRequest]): Unit = {
    val answer = Json.ok
    answer.addProperty("restart", message.getContent.isRestart)
    env.setBusyDeferIdle()
    env.defer().reply(Json.message(message, MessageType.SHUTDOWN_REPLY, answer))
    env.resolveDeferrals()
    // A cell may own threads and locks of any kind, and none of them is needed any more. The JVM's hooks still run, but not forever.
    val halt = new Thread(() => { Thread.sleep(haltMillis); Runtime.getRuntime.halt(0) }, "halt")
    halt.setDaemon(true)
    halt.start()
    connection.finish()
    System.exit(0)
  }

  override def complete(code: String, at: Int): ReplacementOptions = whenReady {
    val offset = code.offsetByCodePoints(0, at.min(code.codePointCount(0, code.length)))
    val (from, names) = session.complete(code, offset)
    val replacements = new java.util.ArrayList[String]
    names.foreach(replacements.add)
    new ReplacementOptions(replacements, code.codePointCount(0, from), code.codePointCount(0, offset))
  }

  override def inspect(code: String, at: Int, extraDetail: Boolean): DisplayData = whenReady {
    val offset = code.offsetByCodePoints(0, at.min(code.codePointCount(0, code.length)))
    Inspection.at(session, code, offset).map(new DisplayData(_)).orNull
  }

  /** Returns null if `body` fails. The presentation compiler fails in many ways on half-written code, so the reader gets an empty answer,
    * and the log gets the reason.
    */
  private def whenReady[A >: Null](body: => A): A =
    try {
      ready.await()
      if (startFailure.isEmpty) body else null
    } catch {
      case thrown @ (NonFatal(_) | _: LinkageError | _: StackOverflowError) =>
        connection.log.sparsely(s"a completion or an inspection failed: ${Log.stackTrace(thrown)}")
        null
    }

  override def isComplete(code: String): String = Session.isComplete(code) match {
    case Completeness.Complete   => BaseKernel.IS_COMPLETE_YES
    case Completeness.Invalid    => BaseKernel.IS_COMPLETE_BAD
    case Completeness.Incomplete => "  "
  }

  /** Asks the reader for one line; `None` if nobody is there to ask. */
  private def readLine(): Option[String] = current.filter(_ => stdinAllowed).flatMap { cell =>
    val answer = new CompletableFuture[Option[String]]
    val asker = new Thread(() => { val _ = answer.complete(connection.ask(cell, "", password = false, () => !answer.isDone)) }, "stdin-ask")
    asker.setDaemon(true)
    asker.start()
    try answer.get()
    finally { val _ = answer.cancel(true) }
  }

  private def streamOf(kind: PublishStream.StreamType): PrintStream =
    new PrintStream(new CellStream(running, text => current.filterNot(_ => silent).foreach(outbox.stream(_, kind, text))), true, UTF_8)

  /** Returns exactly the language information of the stored pages, so that a page that is only opened stays unchanged. */
  override def getLanguageInfo: LanguageInfo =
    new LanguageInfo.Builder("scala")
      .version(scala.util.Properties.versionNumberString)
      .mimetype("text/x-scala")
      .fileExtension(".sc")
      .codemirror("text/x-scala")
      .build()

  override def getBanner: String =
    s"Scala ${scala.util.Properties.versionNumberString} (Ammonite ${ammonite.Constants.version}) on Java ${Runtime.version}"
}

object Kernel {

  /** The first number for code without an execution count; no cell will reach it. */
  private val firstUnlisted = 2000000

  private val haltMillis = 2000L

  /** A notebook's `System.in`: each line is requested when it is read. */
  private final class LineInput(readLine: () => Option[String]) extends InputStream {
    private var bytes = Array.emptyByteArray
    private var position = 0

    override def read(): Int = synchronized {
      if (position == bytes.length) {
        bytes = readLine().fold(Array.emptyByteArray)(line => (line + "\n").getBytes(UTF_8))
        position = 0
      }
      if (bytes.isEmpty) -1
      else {
        position += 1
        bytes(position - 1) & 0xff
      }
    }

    override def read(into: Array[Byte], offset: Int, length: Int): Int =
      if (length == 0) 0
      else {
        // Never more than the line at hand, so that the next one is only requested when it is needed.
        val first = read()
        if (first < 0) -1
        else {
          into(offset) = first.toByte
          val count = (length - 1).min(bytes.length - position)
          System.arraycopy(bytes, position, into, offset + 1, count)
          position += count
          count + 1
        }
      }

    override def available: Int = synchronized(bytes.length - position)
  }
}

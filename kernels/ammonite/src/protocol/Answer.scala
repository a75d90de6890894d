package ammonite.course

import scala.jdk.CollectionConverters._

import org.dflib.jjava.jupyter.channels.ShellReplyEnvironment
import org.dflib.jjava.jupyter.messages.{Message, MessageContext, MessageType}
import org.dflib.jjava.jupyter.messages.publish.{PublishError, PublishExecuteInput}
import org.dflib.jjava.jupyter.messages.reply.ErrorReply

/** Sends what one request gets back: a reply, and "idle" at the end, whatever its handler does. For the handler's thread.
  *
  * Handlers know it as the library's environment. It does what they defer last in, first out, as the library does. It doesn't use the
  * library's sockets, to which nothing is bound.
  *
  * @param send takes replies
  * @param show takes what is published
  */
private[course] final class Answer(send: Message[_] => Unit, show: Message[_] => Unit, request: MessageContext, log: Log)
    extends ShellReplyEnvironment(null, null, null, request) {

  private val kind = request.getHeader.getType.getName
  private var deferring = false
  private var deferred = List.empty[() => Unit]
  private var replied = false
  private var idleOwed = false
  private var count = Option.empty[Int]

  /** Runs the handler and does what it deferred. A bug in either gets a line in the log, and an error instead of the missing reply. */
  def complete(handler: => Unit): Unit = {
    val bugs = failureOf(handler).toList ++ doDeferred()
    bugs.foreach(bug => log.line(s"$kind failed in the kernel: ${Log.stackTrace(bug)}"))
    if (!replied)
      bugs.headOption
        .flatMap(bug => failureOf(tell(Report.of(bug))))
        .foreach(bug => log.line(s"$kind stays unanswered: ${Log.stackTrace(bug)}"))
    if (idleOwed || bugs.nonEmpty) setStatusIdle()
  }

  /** Answers a request that can't be read. */
  def refuse(why: String): Unit = {
    log.sparsely(s"a signed $kind can't be read")
    idleOwed = true
    complete(tell(Report("BadRequest", why, List(why))))
  }

  /** Completes the deferred actions, for a handler that won't return. */
  override def resolveDeferrals(): Unit = {
    val bugs = doDeferred()
    if (idleOwed) setStatusIdle()
    idleOwed = false
    bugs.headOption.foreach(throw _)
  }

  override def setBusyDeferIdle(): Unit = {
    setStatusBusy()
    idleOwed = true
  }

  override def publish(message: Message[_]): Unit = nowOrLater {
    message.getContent match {
      case input: PublishExecuteInput => count = Some(input.getCount)
      case _                          => ()
    }
    show(message)
  }

  override def reply(message: Message[_]): Unit = nowOrLater {
    send(message)
    replied = true
  }

  override def defer(): ShellReplyEnvironment = {
    deferring = true
    this
  }

  override def defer(action: Runnable): Unit = deferred ::= (() => action.run())

  private def nowOrLater(action: => Unit): Unit =
    if (deferring) {
      deferring = false
      deferred ::= (() => action)
    } else action

  private def doDeferred(): List[Throwable] = {
    deferring = false
    val actions = deferred
    deferred = Nil
    actions.flatMap(action => failureOf(action()))
  }

  private def failureOf(action: => Unit): Option[Throwable] =
    try { action; None }
    catch { case thrown: Throwable => Some(thrown) }

  private def tell(report: Report): Unit = {
    val lines = report.lines.asJava
    // The reply alone shows nothing under a cell.
    if (kind == MessageType.EXECUTE_REQUEST.getName) publish(new PublishError(report.name, report.value, lines))
    replyType.foreach { reply =>
      val error = new ErrorReply(report.name, report.value, lines)
      count.foreach(error.setExecutionCount(_))
      replyError(reply, error)
    }
  }

  /** Returns the type of the reply; none if the request asks for no reply. */
  private def replyType: Option[MessageType[_]] =
    Option
      .when(kind.endsWith("_request"))(MessageType.getType(kind.stripSuffix("request") + "reply"))
      .flatMap(reply => Option(reply.error()))
}

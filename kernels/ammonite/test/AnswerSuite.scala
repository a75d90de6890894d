package ammonite.course

import java.io.{ByteArrayOutputStream, PrintStream}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.dflib.jjava.jupyter.messages.{Header, Message, MessageType}
import org.dflib.jjava.jupyter.messages.publish.{PublishExecuteInput, PublishStatus}
import org.dflib.jjava.jupyter.messages.reply.{CompleteReply, ErrorReply}

class AnswerSuite extends munit.FunSuite {

  /** A request, and everything that was sent back for it, in order. */
  private final class Asked(kind: MessageType[_], sends: Message[_] => Unit = _ => ()) {
    private val request = new Message(new Header("session", kind.asInstanceOf[MessageType[AnyRef]]), null: AnyRef)
    private val logged = new ByteArrayOutputStream
    private val log = new Log(new PrintStream(logged))
    val went = mutable.ListBuffer.empty[String]
    val replies = mutable.ListBuffer.empty[Message[_]]

    val answer = new Answer(send, message => went += nameOf(message), request, log)

    def complete(handler: => Unit): this.type = {
      answer.complete(handler)
      this
    }

    def error: ErrorReply = replies.toList match {
      case List(reply) => reply.getContent.asInstanceOf[ErrorReply]
      case other       => fail(other.toString)
    }

    def lines: List[String] = logged.toString.linesIterator.toList

    private def send(message: Message[_]): Unit = {
      sends(message)
      replies += message
      went += nameOf(message)
    }

    private def nameOf(message: Message[_]): String = message.getContent match {
      case status: PublishStatus => Json.of(status).getAsJsonObject.get("execution_state").getAsString
      case _                     => message.getHeader.getType.getName
    }
  }

  private def completed = new CompleteReply(List("a").asJava, 0, 1, java.util.Map.of())

  private def bug(): Nothing = throw new IllegalStateException("a bug\nof two lines")

  test("a handler's reply goes before idle, and nothing is logged") {
    val asked = new Asked(MessageType.COMPLETE_REQUEST)
    asked.complete {
      asked.answer.setBusyDeferIdle()
      asked.answer.defer().reply(completed)
    }
    assertEquals(asked.went.toList, List("busy", "complete_reply", "idle"))
    assertEquals(asked.lines, Nil)
  }

  test("a bug in a handler is answered with an error of the request's own kind") {
    val kinds =
      Seq(MessageType.COMPLETE_REQUEST, MessageType.INSPECT_REQUEST, MessageType.KERNEL_INFO_REQUEST, MessageType.SHUTDOWN_REQUEST)
    for (
      kind <- kinds; thrown <- Seq[Throwable](new IllegalStateException("why"), new StackOverflowError("why"), new AssertionError("why"))
    ) {
      val asked = new Asked(kind).complete(throw thrown)
      assertEquals(asked.went.toList, List(kind.getName.replace("request", "reply"), "idle"))
      assertEquals((asked.error.getErrorName, asked.error.getErrorMessage), (thrown.getClass.getName, "why"))
      assertEquals(asked.error.getStatus, "error")
      assert(asked.error.getStacktrace.asScala.head.contains("why"))
      assert(asked.lines.size == 1 && asked.lines.head.contains(kind.getName) && asked.lines.head.contains("why"), asked.lines)
    }
  }

  test("a cell whose handler fails shows the error and keeps its number") {
    val asked = new Asked(MessageType.EXECUTE_REQUEST)
    asked.complete {
      asked.answer.setBusyDeferIdle()
      asked.answer.publish(new PublishExecuteInput("code", 17))
      bug()
    }
    assertEquals(asked.went.toList, List("busy", "execute_input", "error", "execute_reply", "idle"))
    assertEquals(Json.of(asked.error).getAsJsonObject.get("execution_count").getAsInt, 17)
    assertEquals(asked.lines.size, 1)
  }

  test("a request that was answered is not answered again") {
    for (deferred <- Seq(true, false)) {
      val asked = new Asked(MessageType.COMPLETE_REQUEST)
      asked.complete {
        asked.answer.setBusyDeferIdle()
        (if (deferred) asked.answer.defer() else asked.answer).reply(completed)
        bug()
      }
      assertEquals(asked.went.toList, List("busy", "complete_reply", "idle"))
      assertEquals(asked.lines.size, 1)
    }
  }

  test("a request is also answered if its handler breaks off while it defers, or in what it deferred") {
    val half = new Asked(MessageType.COMPLETE_REQUEST)
    half.complete { half.answer.setBusyDeferIdle(); half.answer.defer(); bug() }
    assertEquals(half.went.toList, List("busy", "complete_reply", "idle"))
    val late = new Asked(MessageType.COMPLETE_REQUEST)
    late.complete { late.answer.setBusyDeferIdle(); late.answer.defer(() => bug()) }
    assertEquals(late.error.getErrorMessage.linesIterator.next(), "a bug")
  }

  test("a reply that can't be sent counts as failed") {
    val asked = new Asked(MessageType.COMPLETE_REQUEST, reply => if (!reply.getContent.isInstanceOf[ErrorReply]) bug())
    asked.complete(asked.answer.reply(completed))
    assertEquals(asked.went.toList, List("complete_reply", "idle"))
    assertEquals(asked.error.getErrorName, classOf[IllegalStateException].getName)
  }

  test("a request that asks for no reply gets none") {
    val asked = new Asked(MessageType.COMM_OPEN_COMMAND).complete(bug())
    assertEquals(asked.went.toList, List("idle"))
    assertEquals(asked.lines.size, 1)
  }
}

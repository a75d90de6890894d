package ammonite.course

import java.io.{ByteArrayOutputStream, PrintStream}
import java.net.ServerSocket

import scala.util.Using

import org.dflib.jjava.jupyter.kernel.KernelConnectionProperties
import org.dflib.jjava.jupyter.kernel.display.DisplayData
import org.dflib.jjava.jupyter.messages.{HMACGenerator, Header, Message, MessageType}
import org.dflib.jjava.jupyter.messages.publish.{PublishDisplayData, PublishStream}
import org.zeromq.{SocketType, ZContext}

class OutboxSuite extends munit.FunSuite {
  private val cell = new Message(new Header("session", MessageType.EXECUTE_REQUEST), null)

  /** A value that can't be written, because Gson writes no class. */
  private def unwritable: DisplayData = {
    val data = new DisplayData("text")
    data.putData("application/json", classOf[String])
    data
  }

  test("a message that can't be written is lost alone: the sender or the log is told") {
    val logged = new ByteArrayOutputStream
    Using.resource(new ZContext(1)) { context =>
      val outbox = new Outbox(context.getContext, new Wire(new HMACGenerator("hmac-sha256", "key")), new Log(new PrintStream(logged)))
      val port = Using.resource(new ServerSocket(0))(_.getLocalPort)
      outbox.bind(new KernelConnectionProperties("127.0.0.1", 1, 1, 1, 1, port, "tcp", "hmac-sha256", "key"))
      val reader = context.createSocket(SocketType.SUB)
      reader.setReceiveTimeOut(20000)
      reader.subscribe("")
      reader.connect(s"tcp://127.0.0.1:$port")
      def next(): String = {
        val frames = Iterator.continually(reader.recvStr()).takeWhile(_ != null)
        val message = frames.take(6).toList
        message.last
      }
      // A subscription takes effect some time after it was made.
      var ping = 0
      reader.setReceiveTimeOut(100)
      while ({ ping += 1; outbox.stream(cell, PublishStream.StreamType.OUT, s"ping $ping"); outbox.flush(5); reader.recvStr() == null }) ()
      for (_ <- 1 to 5) reader.recvStr()
      reader.setReceiveTimeOut(20000)

      outbox.stream(cell, PublishStream.StreamType.OUT, "before")
      outbox.update(cell, "id", unwritable)
      outbox.stream(cell, PublishStream.StreamType.OUT, "after")
      val _ = intercept[RuntimeException](
        outbox.sendMessage(new Message(cell, PublishDisplayData.MESSAGE_TYPE, new PublishDisplayData(unwritable)))
      )
      outbox.sendMessage(new Message(cell, PublishDisplayData.MESSAGE_TYPE, new PublishDisplayData(new DisplayData("last"))))
      assert(outbox.flush(20))
      val came = Seq(next(), next(), next())
      assert(came(0).contains("before") && came(1).contains("after") && came(2).contains("last"), came)
      assertEquals(logged.toString.linesIterator.size, 1)
      assert(logged.toString.contains("an output was lost"), logged)
      outbox.close()
    }
  }
}

package ammonite.course

import java.net.Socket
import java.nio.ByteBuffer

import scala.util.Using

import org.zeromq.{SocketType, ZContext, ZMQ}

class InletSuite extends munit.FunSuite {
  private val limit = Inlet.Limit(frames = 4, bytes = 100)

  private final class Pair(context: ZContext) {
    val inlet = new Inlet(context.getContext, limit)
    val port = inlet.socket.bindToRandomPort("tcp://127.0.0.1")
    private val peer = context.createSocket(SocketType.DEALER)
    peer.connect(s"tcp://127.0.0.1:$port")
    private val poller = context.createPoller(1)
    poller.register(inlet.socket, ZMQ.Poller.POLLIN)

    def send(frames: String*): Unit = {
      frames.init.foreach(peer.sendMore(_))
      val _ = peer.send(frames.last)
    }

    /** Returns the next message. */
    def next(): Inlet.Taken = {
      assert(poller.poll(20000) > 0, "nothing came")
      inlet.next().getOrElse(fail("nothing was there"))
    }

    /** Returns the message's frames without the peer's name. */
    def texts(taken: Inlet.Taken): Seq[String] = taken.frames.tail.map(new String(_))
  }

  private def withPair(test: Pair => Unit): Unit = Using.resource(new ZContext(1)) { context =>
    val pair = new Pair(context)
    try test(pair)
    finally pair.inlet.socket.close()
  }

  test("each message comes with its own frames") {
    withPair { pair =>
      val messages = Seq(Seq("one"), Seq(""), Seq("a", "b", "c"), Seq("", ""), Seq("last"))
      messages.foreach(pair.send(_: _*))
      assertEquals(messages.map(_ => pair.texts(pair.next())), messages)
      assertEquals(pair.inlet.next(), None)
    }
  }

  test("a message with too many frames, or too much in them, leaves nothing for the next") {
    withPair { pair =>
      pair.send(Seq.fill(50)("x"): _*)
      pair.send("y" * 60, "y" * 60)
      pair.send("fits")
      assertEquals(Seq(pair.next().whole, pair.next().whole), Seq(false, false))
      assertEquals(pair.texts(pair.next()), Seq("fits"))
    }
  }

  test("a peer whose frame is too long is disconnected, and another one is still read") {
    withPair { pair =>
      Using.resource(new RawPeer(pair.port)) { raw =>
        raw.greet()
        raw.frame(101)
        assert(raw.isCutOff)
      }
      pair.send("heard")
      assertEquals(pair.texts(pair.next()), Seq("heard"))
    }
  }

  for (length <- Seq(-1L, Long.MinValue, Long.MinValue + Int.MaxValue, -5000000000L))
    test(s"a frame that claims ${java.lang.Long.toUnsignedString(length)} bytes takes no room and stops nobody") {
      withPair { pair =>
        Using.resource(new RawPeer(pair.port)) { raw =>
          raw.greet()
          raw.frame(length)
          pair.send("heard")
          // An empty message replaces that one.
          val came = Seq(pair.next(), pair.next()).map(pair.texts)
          assertEquals(came.toSet, Set(Seq(""), Seq("heard")))
        }
      }
    }

  /** Speaks ZMTP 3.0 by hand, as far as is needed to send a frame's head. */
  private final class RawPeer(port: Int) extends AutoCloseable {
    private val socket = new Socket("127.0.0.1", port)
    socket.setSoTimeout(20000)
    private val out = socket.getOutputStream
    private val in = socket.getInputStream

    def greet(): Unit = {
      val greeting = ByteBuffer.allocate(64)
      greeting.put(0xff.toByte).position(9).put(0x7f.toByte).put(3.toByte).put(0.toByte).put("NULL".getBytes)
      out.write(greeting.array)
      val ready = "\u0005READY\u000bSocket-Type\u0000\u0000\u0000\u0006DEALER".getBytes
      out.write(Array(4.toByte, ready.length.toByte) ++ ready)
      // Sending anything before the other side is ready would violate the protocol.
      in.readNBytes(64 + 1)
      val _ = in.readNBytes(in.read())
    }

    def frame(length: Long): Unit = out.write(ByteBuffer.allocate(9).put(2.toByte).putLong(length).array)

    def isCutOff: Boolean = in.readAllBytes().isEmpty

    def close(): Unit = socket.close()
  }
}

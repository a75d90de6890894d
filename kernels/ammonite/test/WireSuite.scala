package ammonite.course

import java.nio.charset.StandardCharsets.UTF_8

import org.dflib.jjava.jupyter.messages.{HMACGenerator, Message, MessageType}
import org.dflib.jjava.jupyter.messages.reply.{ErrorReply, InputReply}
import org.dflib.jjava.jupyter.messages.request.{ExecuteRequest, KernelInfoRequest}

class WireSuite extends munit.FunSuite {
  private val signing = new HMACGenerator("hmac-sha256", "key")
  private val wire = new Wire(signing)

  private val header =
    """{"msg_id": "1", "username": "u", "session": "s", "date": "2026-01-01T00:00:00Z", "msg_type": "execute_request", "version": "5.3"}"""

  private def bytes(text: String): Array[Byte] = text.getBytes(UTF_8)

  private def frames(header: String, content: String, parent: String = "{}", metadata: String = "{}"): Seq[Array[Byte]] = {
    val signed = Seq(header, parent, metadata, content).map(bytes)
    Seq("peer", "<IDS|MSG>", signing.calculateSignature(signed: _*)).map(bytes) ++ signed
  }

  private def refused(frames: Seq[Array[Byte]]): String = wire.read(frames) match {
    case Wire.Rejected(why) => why
    case other              => fail(s"not refused: $other")
  }

  test("a signed message is read with its peer and its buffers") {
    wire.read(frames(header, """{"code": "1 + 1"}""") :+ bytes("buffer")) match {
      case Wire.Received(message) =>
        assertEquals(message.getContent.asInstanceOf[ExecuteRequest].getCode, "1 + 1")
        assertEquals(new String(message.getIdentities.get(0), UTF_8), "peer")
        assertEquals(new String(message.getBlobs.get(0), UTF_8), "buffer")
        assert(!message.hasParentHeader)
      case other => fail(other.toString)
    }
  }

  test("a written message is read back") {
    val question = wire.read(frames(header, """{"code": ""}""")) match {
      case Wire.Received(message) => message
      case other                  => fail(other.toString)
    }
    wire.read(wire.write(new Message(question, MessageType.INPUT_REPLY, new InputReply("text\u00e9")))) match {
      case Wire.Received(message) =>
        assertEquals(message.getContent.asInstanceOf[InputReply].getValue, "text\u00e9")
        assertEquals(message.getParentHeader.getId, "1")
      case other => fail(other.toString)
    }
  }

  test("a reply that reports an error has an error type") {
    val reply = header.replace("execute_request", "execute_reply")
    wire.read(frames(reply, """{"status": "error", "ename": "E", "evalue": "", "traceback": []}""")) match {
      case Wire.Received(message) =>
        assert(message.getContent.isInstanceOf[ErrorReply])
        assertEquals(message.getHeader.getType.toString, MessageType.EXECUTE_REPLY.error().toString)
        assert(message.getHeader.getType.isError)
      case other => fail(other.toString)
    }
  }

  test("no frame is missed, and none is mistaken for another") {
    val whole = frames(header, """{"code": "1"}""")
    for (length <- 0 until whole.length) assert(wire.read(whole.take(length)).isInstanceOf[Wire.Rejected], length)
    assertEquals(refused(Seq.fill(3)(bytes("x"))), "it has no delimiter")
    assertEquals(refused(whole.take(5)), "it lacks frames")
  }

  test("one changed bit anywhere in the signed frames, or in the signature, is noticed") {
    val whole = frames(header, """{"code": "1"}""")
    for (frame <- 2 until whole.length; at <- whole(frame).indices) {
      val changed = whole.map(_.clone)
      changed(frame)(at) = (changed(frame)(at) ^ 1).toByte
      assertEquals(refused(changed), "its signature is not ours")
    }
    for (signature <- Seq("", "0", "\u00e9" * 64)) assertEquals(refused(whole.updated(2, bytes(signature))), "its signature is not ours")
  }

  test("a signed message whose content can't be read can be answered") {
    for (content <- Seq("", "null", "[]", "{", """{"code": []}""", "\u0000", "[" * 100000))
      wire.read(frames(header, content)) match {
        case Wire.Unreadable(request, _) => assertEquals(request.getHeader.getId, "1")
        case other                       => fail(s"${content.take(20)}: $other")
      }
    assert(wire.read(frames(header, "{}", parent = "{")).isInstanceOf[Wire.Unreadable])
    assert(wire.read(frames(header, "{}", metadata = "7")).isInstanceOf[Wire.Unreadable])
  }

  test("a message without a header is refused, and so is one of an unknown type") {
    for (bad <- Seq("", "{}", "null", "7", "{", """{"msg_id": 1}""", header.replace("\"u\"", "null"), header.replace("\"1\"", "{}")))
      assertEquals(refused(frames(bad, "{}")), "its header can't be read")
    for (kind <- Seq("\"dance_request\"", "\"\"", "\"none\"", "null"))
      assertEquals(refused(frames(header.replace("\"execute_request\"", kind), "{}")), s"this kernel knows no message of type $kind")
  }

  test("a request without fields has a content") {
    val asked = frames(header.replace("execute_request", "kernel_info_request"), "{}")
    wire.read(asked) match {
      case Wire.Received(message) => assert(message.getContent.isInstanceOf[KernelInfoRequest])
      case other                  => fail(other.toString)
    }
  }
}

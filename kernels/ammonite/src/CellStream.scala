package ammonite.course

import java.io.OutputStream
import java.nio.{ByteBuffer, CharBuffer}
import java.nio.charset.{CodingErrorAction, StandardCharsets}

/** Standard output or standard error of the running cell. It takes bytes, and passes text on as soon as it is written. */
final class CellStream(running: RunningCell, write: String => Unit) extends OutputStream {
  private val decoder = StandardCharsets.UTF_8.newDecoder
    .onMalformedInput(CodingErrorAction.REPLACE)
    .onUnmappableCharacter(CodingErrorAction.REPLACE)
  // The bytes of a character that is not complete yet.
  private var rest = Array.emptyByteArray

  override def write(byte: Int): Unit = write(Array(byte.toByte), 0, 1)

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    running.stopIfInterrupted()
    val text = synchronized {
      val in = ByteBuffer.wrap(rest ++ bytes.slice(offset, offset + length))
      val out = CharBuffer.allocate(in.remaining + 1)
      decoder.decode(in, out, false)
      rest = new Array[Byte](in.remaining)
      in.get(rest)
      out.flip().toString
    }
    if (text.nonEmpty) write(text)
  }
}

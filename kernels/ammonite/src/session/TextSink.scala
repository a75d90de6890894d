package ammonite.course

import java.io.{ByteArrayOutputStream, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8

/** Collects what is written as text. */
final class TextSink(into: StringBuilder) extends OutputStream {
  private val bytes = new ByteArrayOutputStream

  override def write(byte: Int): Unit = synchronized(bytes.write(byte))

  override def write(from: Array[Byte], offset: Int, length: Int): Unit = synchronized(bytes.write(from, offset, length))

  override def flush(): Unit = synchronized {
    into.append(bytes.toString(UTF_8))
    bytes.reset()
  }
}

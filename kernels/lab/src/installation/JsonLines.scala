package lab

import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.StandardOpenOption.{CREATE, READ, WRITE}
import java.nio.file.{Files, Path}

import com.google.gson.{JsonObject, JsonParseException, JsonParser}

import scala.util.Using

/** A file of records, one JSON object a line, that is only ever added to.
  *
  * Safe between threads (a lock of this JVM) and between kernels (a lock on the file, which the system frees when its holder dies). A
  * writer that was killed leaves at most a torn last line: it is passed over on reading, and the next record starts on a line of its own.
  */
private[lab] object JsonLines {

  /** Adds the record that `make` returns for those that are there; nobody else writes meanwhile. */
  def append(file: Path)(make: Vector[JsonObject] => JsonObject): Unit = synchronized {
    Files.createDirectories(file.toAbsolutePath.getParent)
    Using.resource(FileChannel.open(file, CREATE, READ, WRITE)) { channel =>
      Using.resource(channel.lock()) { _ =>
        val there = content(channel)
        val torn = there.nonEmpty && !there.endsWith("\n")
        val line = ByteBuffer.wrap(s"${if (torn) "\n" else ""}${make(parse(there))}\n".getBytes(UTF_8))
        channel.position(channel.size)
        while (line.hasRemaining) channel.write(line)
        channel.force(false)
      }
    }
  }

  /** Every whole record, in the order of writing; none if the file isn't there. */
  def read(file: Path): Vector[JsonObject] = synchronized {
    if (!Files.exists(file)) Vector.empty
    else
      Using.resource(FileChannel.open(file, READ)) { channel =>
        Using.resource(channel.lock(0, Long.MaxValue, true))(_ => parse(content(channel)))
      }
  }

  private def content(channel: FileChannel): String = {
    val bytes = ByteBuffer.allocate(channel.size.toInt)
    channel.position(0)
    while (bytes.hasRemaining && channel.read(bytes) >= 0) ()
    new String(bytes.array, 0, bytes.position(), UTF_8)
  }

  private def parse(content: String): Vector[JsonObject] = content.linesIterator.flatMap(recordOf).toVector

  /** No beginning of a JSON object is one itself: so a torn line is never taken for a record. */
  private def recordOf(line: String): Option[JsonObject] =
    try Option(JsonParser.parseString(line)).collect { case record: JsonObject => record }
    catch { case _: JsonParseException => None }
}

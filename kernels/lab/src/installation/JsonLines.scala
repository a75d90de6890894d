package lab.installation

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.StandardOpenOption.{CREATE, READ, WRITE}
import java.nio.file.{Files, Path}

import com.google.gson.{JsonObject, JsonParseException, JsonParser}

import lab.show.{Display, Say}

import scala.collection.mutable
import scala.util.Using

/** Reads and extends a file of records, one JSON object per line. Records are only ever added.
  *
  * It is safe between threads (by a lock of this JVM) and between kernels (by a lock on the file, which the system frees when its holder
  * dies). A killed writer leaves at most one torn last line. Reading skips that line, with a message on standard error, and the next record
  * starts on a new line.
  */
private[lab] object JsonLines {

  /** Adds the record that `make` returns for the existing records. No other thread or kernel can write meanwhile.
    *
    * @throws java.io.IOException with the remedy if the disk is full or the file may not be written to. Then the file stays as it was
    */
  def append(file: Path)(make: Vector[JsonObject] => JsonObject): Unit = synchronized {
    val folder = file.toAbsolutePath.getParent
    Disk.explained(folder) {
      Files.createDirectories(folder)
      Using.resource(FileChannel.open(file, CREATE, READ, WRITE)) { channel =>
        Using.resource(channel.lock()) { _ =>
          val there = content(channel)
          val torn = there.nonEmpty && !there.endsWith("\n")
          val record = s"${if (torn) "\n" else ""}${make(parse(there).flatten)}\n"
          addAtEnd(channel, ByteBuffer.wrap(record.getBytes(UTF_8)))
        }
      }
    }
  }

  /** Calls `write`. If a file can't be written, the cell says so between these words, and nothing else fails. */
  def orSay(words: String, end: String = "")(write: => Unit): Unit =
    try write
    catch { case refused: IOException => Display.show(Map("text/plain" -> s"$words: $refused$end")) }

  private def addAtEnd(channel: FileChannel, bytes: ByteBuffer): Unit = {
    val end = channel.size
    channel.position(end)
    try {
      while (bytes.hasRemaining) channel.write(bytes)
      channel.force(false)
    } catch { case failed: IOException => channel.truncate(end); throw failed }
  }

  /** Returns every complete record, in the order of writing; none if the file isn't there. It counts other lines on standard error, once
    * for each state of the file.
    */
  def read(file: Path): Vector[JsonObject] = synchronized {
    if (!Files.exists(file)) Vector.empty
    else {
      val lines = Using.resource(FileChannel.open(file, READ)) { channel =>
        Using.resource(channel.lock(0, Long.MaxValue, true))(_ => parse(content(channel)))
      }
      val lost = lines.count(_.isEmpty)
      if (lost > 0 && !told.put(file, lost).contains(lost))
        Console.err.println(
          s"$file: ${Say.count(lost, "line")} of ${lines.size} can't be read and ${if (lost == 1) "is" else "are"} left out. " +
            "A kernel was killed or the disk was full while a record was written. All other records are there."
        )
      lines.flatten
    }
  }

  /** For each file, the number of unreadable lines that were already reported. */
  private val told = mutable.Map.empty[Path, Int]

  private def content(channel: FileChannel): String = {
    val bytes = ByteBuffer.allocate(channel.size.toInt)
    channel.position(0)
    while (bytes.hasRemaining && channel.read(bytes) >= 0) ()
    new String(bytes.array, 0, bytes.position(), UTF_8)
  }

  /** Parses each line; `None` for a line that is no record. */
  private def parse(content: String): Vector[Option[JsonObject]] = content.linesIterator.filterNot(_.isBlank).map(recordOf).toVector

  /** Parses a line. No beginning of a JSON object is itself one, so a torn line never passes for a record. */
  private def recordOf(line: String): Option[JsonObject] =
    try Option(JsonParser.parseString(line)).collect { case record: JsonObject => record }
    catch { case _: JsonParseException => None }
}

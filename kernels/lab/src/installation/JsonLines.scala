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

/** A file of records, one JSON object a line, that is only ever added to.
  *
  * Safe between threads (a lock of this JVM) and between kernels (a lock on the file, which the system frees when its holder dies). A
  * writer that was killed leaves at most a torn last line: it is passed over on reading, with a word on standard error, and the next record
  * starts on a line of its own.
  */
private[lab] object JsonLines {

  /** Adds the record that `make` returns for those that are there; nobody else writes meanwhile.
    *
    * @throws java.io.IOException with the remedy if the disk is full or the file may not be written to; the file is as before then
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

  /** Calls `write`. If a file can't be written to, the cell says so between these words, and nothing else fails. */
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

  /** Every whole record, in the order of writing; none if the file isn't there. Lines that are no record are counted on standard error, once
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

  /** Of how many lines that can't be read the reader knows. */
  private val told = mutable.Map.empty[Path, Int]

  private def content(channel: FileChannel): String = {
    val bytes = ByteBuffer.allocate(channel.size.toInt)
    channel.position(0)
    while (bytes.hasRemaining && channel.read(bytes) >= 0) ()
    new String(bytes.array, 0, bytes.position(), UTF_8)
  }

  /** Line by line; `None` for one that is no record. */
  private def parse(content: String): Vector[Option[JsonObject]] = content.linesIterator.filterNot(_.isBlank).map(recordOf).toVector

  /** No beginning of a JSON object is one itself: so a torn line is never taken for a record. */
  private def recordOf(line: String): Option[JsonObject] =
    try Option(JsonParser.parseString(line)).collect { case record: JsonObject => record }
    catch { case _: JsonParseException => None }
}

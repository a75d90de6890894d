package lab.installation

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.StandardCopyOption.REPLACE_EXISTING
import java.nio.file.{AccessDeniedException, Files, Path}

import scala.annotation.tailrec
import scala.util.Try

/** Writes files completely or not at all, and tells the reader what to do if the disk is full or a folder belongs to another user. */
private[lab] object Disk {

  /** Calls `use`. If `use` fails because the disk of `folder` is full or because a file below `folder` may not be opened, the error names
    * the folder, its disk and the remedy.
    *
    * @throws java.io.IOException if `use` throws one
    */
  def explained[A](folder: Path)(use: => A): A =
    try use
    catch {
      case denied: AccessDeniedException => throw new IOException(notAllowed(folder, denied), denied)
      case failed: IOException if lacksRoom(s"$failed") || full(folder).nonEmpty => throw new IOException(noRoom(folder), failed)
    }

  /** Writes `text` to `file` and replaces what was there. If that fails, the old file stays as it was, and nothing else is left.
    *
    * @throws java.io.IOException with the remedy if the disk is full or the folder may not be written to
    */
  def replace(file: Path, text: String): Path = synchronized {
    val folder = file.toAbsolutePath.getParent
    explained(folder) {
      val part = Files.createDirectories(folder).resolve(s".${file.getFileName}-${ProcessHandle.current.pid}.part")
      try Files.move(Files.writeString(part, text, UTF_8), file, REPLACE_EXISTING)
      finally { val _ = Files.deleteIfExists(part) }
    }
  }

  /** Returns what to say if the disk of `folder` is full, or if `said` complains that it was; `None` otherwise.
    *
    * @param said the output of a program, which may have freed its space by now
    */
  def full(folder: Path, said: Seq[String] = Nil): Option[String] =
    Option.when(said.exists(lacksRoom) || free(folder).exists(_ < least))(noRoom(folder))

  /** With less space than this, compilers and JVMs fail, each in its own words. */
  private val least = 64L << 10

  /** Returns whether `said` has the complaint of the C library or the JVM. */
  private def lacksRoom(said: String): Boolean = complaint.findFirstIn(said).nonEmpty
  private val complaint = "(?i)no space left on device|disk quota exceeded".r

  private def noRoom(folder: Path): String = {
    val disk = Try(s", ${Files.getFileStore(existing(folder))},").getOrElse("")
    val left = free(folder).fold("")(bytes => s"; ${bytes >> 10} KiB are free now")
    s"the disk that holds $folder$disk is full$left. Make room there, then run this cell again."
  }

  private def notAllowed(folder: Path, denied: AccessDeniedException): String = {
    val (file, user) = (Path.of(denied.getFile), System.getProperty("user.name"))
    val owner = Try(s"it belongs to ${Files.getOwner(existing(file))}, and ").getOrElse("")
    s"$file can't be opened: ${owner}this kernel runs as $user. If the course was run once as another user (by `sudo`, for instance), " +
      s"give the folder back: sudo chown -R $user '$folder'. Then run this cell again."
  }

  /** Returns how many bytes this user may still write to the disk of `folder`; `None` if the system doesn't say. */
  def free(folder: Path): Option[Long] = Try(Files.getFileStore(existing(folder)).getUsableSpace).toOption

  @tailrec private def existing(path: Path): Path =
    if (Files.exists(path)) path
    else
      path.toAbsolutePath.getParent match {
        case null  => path
        case above => existing(above)
      }
}

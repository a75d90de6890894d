package lab.magic

import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.StandardOpenOption.{CREATE, WRITE}
import java.nio.file.attribute.FileTime
import java.nio.file.{FileSystemException, Files, Path, StandardCopyOption}
import java.security.MessageDigest
import java.time.{Duration, Instant}

import lab.installation.Disk
import lab.process.Scratch

import scala.jdk.CollectionConverters._
import scala.util.Using

/** What compilers make of cells, kept in folders that are named after what went in: the same is made once, by whichever kernel comes first.
  *
  * It is bounded: whenever something new was made, what nobody asked for in `idle` goes, but for the `most` folders that were asked for
  * last. Safe with several kernels at once: who asks for a folder marks it, and who clears up looks at the marks, each under a lock on one
  * file. So what a kernel has got stays for at least `idle`.
  */
private[lab] object ClassCache {

  /** The folder below `root` that holds what `make` made of `ingredients`, now or before.
    *
    * @param ingredients everything that what is made depends on
    * @param make        gets a scratch folder, which is deleted afterwards, and in it the folder that is to be kept. Nothing is kept of one
    *                    that throws.
    * @return the folder, and what `make` returned if it had to run
    */
  def apply[A](root: Path, ingredients: Seq[String])(make: (Path, Path) => A): (Path, Option[A]) = Disk.explained(root) {
    val folder = root.resolve(fingerprint(ingredients))
    if (asked(root, folder)) (folder, None)
    else {
      val result = Scratch.in(root, "making") { scratch =>
        val made = Files.createDirectory(scratch.resolve("kept"))
        val result = make(scratch, made)
        keep(made, folder)
        result
      }
      clear(root)
      (folder, Some(result))
    }
  }

  /** Whole or not at all; another kernel that made the same meanwhile is as good. */
  private[magic] def keep(made: Path, folder: Path): Unit =
    // An atomic move onto a folder that isn't empty fails with no exception of its own.
    try { val _ = Files.move(made, folder, StandardCopyOption.ATOMIC_MOVE) }
    catch { case _: FileSystemException if Files.isDirectory(folder) => () }

  /** Whether `folder` is there; it then counts as asked for now. */
  private def asked(root: Path, folder: Path): Boolean = locked(root) {
    val there = Files.isDirectory(folder)
    if (there) { val _ = Files.setLastModifiedTime(folder, FileTime.from(Instant.now)) }
    there
  }

  /** Deletes what is too old, leftovers of kernels that were killed too, and returns it. */
  private[magic] def clear(root: Path, most: Int = 64, idle: Duration = Duration.ofDays(7)): Seq[Path] = locked(root) {
    val folders = Using.resource(Files.list(root))(_.iterator.asScala.filter(path => Files.isDirectory(path)).toVector)
    val (scratch, kept) = folders.partition(_.getFileName.toString.contains('-'))
    val old = (scratch ++ kept.sortBy(askedAt).dropRight(most)).filter(askedAt(_).isBefore(Instant.now.minus(idle)))
    old.foreach(Scratch.delete)
    old
  }

  private def askedAt(folder: Path): Instant = Files.getLastModifiedTime(folder).toInstant

  private def locked[A](root: Path)(act: => A): A = synchronized {
    Files.createDirectories(root)
    Using.resource(FileChannel.open(root.resolve(".lock"), CREATE, WRITE))(channel => Using.resource(channel.lock())(_ => act))
  }

  /** What tells one state of these files from another. */
  def looks(files: Seq[Path]): Seq[String] = files.map(file => s"$file ${Files.size(file)} ${Files.getLastModifiedTime(file).toMillis}")

  private def fingerprint(ingredients: Seq[String]): String =
    MessageDigest.getInstance("SHA-256").digest(ingredients.mkString("\u0000").getBytes(UTF_8)).take(12).map(byte => f"$byte%02x").mkString
}

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

/** The classes that compilers made of cells, in folders that are named after what went in. The same source is compiled once, by whichever
  * kernel comes first.
  *
  * The cache is bounded. Whenever something new is added, it deletes what nobody requested within `idle`, except for the `most` folders
  * that were requested last. Several kernels may use it simultaneously: a request marks its folder, and the clean-up reads the marks, each
  * under a lock on one file. A folder that a kernel got therefore stays for at least `idle`.
  */
private[lab] object ClassCache {

  /** Returns the folder below `root` that holds what `make` made of `ingredients`, now or before.
    *
    * @param ingredients everything that the result depends on
    * @param make        gets a scratch folder, which is deleted afterwards, and in it the folder whose contents are kept. If it throws,
    *                    nothing is kept.
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

  /** Moves the folder into place, whole or not at all. If another kernel made the same meanwhile, that folder is as good. */
  private[magic] def keep(made: Path, folder: Path): Unit =
    // An atomic move onto a folder that isn't empty fails without a specific exception.
    try { val _ = Files.move(made, folder, StandardCopyOption.ATOMIC_MOVE) }
    catch { case _: FileSystemException if Files.isDirectory(folder) => () }

  /** Returns whether `folder` exists, and marks it as requested now. */
  private def asked(root: Path, folder: Path): Boolean = locked(root) {
    val there = Files.isDirectory(folder)
    if (there) { val _ = Files.setLastModifiedTime(folder, FileTime.from(Instant.now)) }
    there
  }

  /** Deletes what is too old, including leftovers of kernels that were killed, and returns it. */
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

  /** Describes the current state of these files, so that a change shows. */
  def looks(files: Seq[Path]): Seq[String] = files.map(file => s"$file ${Files.size(file)} ${Files.getLastModifiedTime(file).toMillis}")

  private def fingerprint(ingredients: Seq[String]): String =
    MessageDigest.getInstance("SHA-256").digest(ingredients.mkString("\u0000").getBytes(UTF_8)).take(12).map(byte => f"$byte%02x").mkString
}

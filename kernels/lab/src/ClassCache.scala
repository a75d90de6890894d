package lab

import java.io.File
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{FileSystemException, Files, Path, StandardCopyOption}
import java.security.MessageDigest

import scala.jdk.CollectionConverters._

/** What compilers make of cells, kept in folders that are named after what went in: the same is made once, by whichever kernel comes first. */
private[lab] object ClassCache {

  /** The folder below `root` that holds what `make` made of `ingredients`, now or before.
    *
    * @param ingredients everything that what is made depends on
    * @param make        gets a scratch folder, which is deleted afterwards, and in it the folder that is to be kept. Nothing is kept of one that throws.
    * @return the folder, and what `make` returned if it had to run
    */
  def apply[A](root: Path, ingredients: Seq[String])(make: (Path, Path) => A): (Path, Option[A]) = {
    val folder = root.resolve(fingerprint(ingredients))
    if (Files.isDirectory(folder)) (folder, None)
    else {
      Files.createDirectories(root)
      val scratch = Files.createTempDirectory(root, "making-")
      try {
        val made = Files.createDirectory(scratch.resolve("kept"))
        val result = make(scratch, made)
        keep(made, folder)
        (folder, Some(result))
      } finally delete(scratch)
    }
  }

  /** Whole or not at all; another kernel that made the same meanwhile is as good. */
  private[lab] def keep(made: Path, folder: Path): Unit =
    // An atomic move onto a folder that isn't empty fails with no exception of its own.
    try { val _ = Files.move(made, folder, StandardCopyOption.ATOMIC_MOVE) }
    catch { case _: FileSystemException if Files.isDirectory(folder) => () }

  /** What tells one state of these files from another. */
  def looks(files: Seq[Path]): Seq[String] = files.map(file => s"$file ${Files.size(file)} ${Files.getLastModifiedTime(file).toMillis}")

  def joined(paths: Seq[Path]): String = paths.mkString(File.pathSeparator)

  def delete(folder: Path): Unit = {
    val all = Files.walk(folder)
    try all.iterator.asScala.toVector.reverse.foreach(Files.deleteIfExists)
    finally all.close()
  }

  private def fingerprint(ingredients: Seq[String]): String =
    MessageDigest.getInstance("SHA-256").digest(ingredients.mkString("\u0000").getBytes(UTF_8)).take(12).map(byte => f"$byte%02x").mkString
}

package lab.process

import java.nio.file.{Files, Path}

import lab.installation.Disk

import scala.jdk.CollectionConverters._
import scala.util.Using

/** Folders that last as long as one use. */
private[lab] object Scratch {

  /** What `use` makes of a new folder below `root`, which is deleted afterwards. What a killed kernel leaves there goes with the next
    * clearing of [[ClassCache]].
    *
    * @throws java.io.IOException with the remedy if the disk is full or `root` may not be written to
    */
  def in[A](root: Path, name: String)(use: Path => A): A = Disk.explained(root) {
    val folder = Files.createTempDirectory(Files.createDirectories(root), s"$name-")
    try use(folder)
    finally delete(folder)
  }

  def delete(folder: Path): Unit =
    Using.resource(Files.walk(folder))(_.iterator.asScala.toVector).reverse.foreach(Files.deleteIfExists)
}

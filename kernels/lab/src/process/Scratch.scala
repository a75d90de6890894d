package lab.process

import java.nio.file.{Files, Path}

import lab.installation.Disk

import scala.jdk.CollectionConverters._
import scala.util.Using

/** Makes folders that last for one use. */
private[lab] object Scratch {

  /** Makes a new folder below `root`, returns what `use` makes of it, and deletes the folder. The next clean-up of [[ClassCache]] deletes
    * what a killed kernel left there.
    *
    * @throws java.io.IOException if the disk is full or `root` may not be written to; the message says what to do
    */
  def in[A](root: Path, name: String)(use: Path => A): A = Disk.explained(root) {
    val folder = Files.createTempDirectory(Files.createDirectories(root), s"$name-")
    try use(folder)
    finally delete(folder)
  }

  def delete(folder: Path): Unit =
    Using.resource(Files.walk(folder))(_.iterator.asScala.toVector).reverse.foreach(Files.deleteIfExists)
}

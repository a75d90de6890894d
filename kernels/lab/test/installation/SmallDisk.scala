package lab.installation

import java.io.IOException
import java.nio.file.{Files, Path}

import munit.Assertions.assume

/** A disk of its own for a test, which can be filled up. */
private[lab] final class SmallDisk(val folder: Path) {
  private val filler = folder.resolve("filler")

  /** Takes all the room that is left but for so many KiB. */
  def fill(left: Int = 0): Unit = {
    val _ = Files.deleteIfExists(filler)
    val rest = (Files.getFileStore(folder).getUsableSpace - (left.toLong << 10)).max(0)
    try { val _ = Files.write(filler, new Array[Byte](rest.toInt)) }
    catch { case _: IOException => () } // the last page that doesn't fit
  }

  def makeRoom(): Unit = Files.delete(filler)
}

private[lab] object SmallDisk {

  /** Calls `use` with a disk of `size` KiB. Skips the test where none can be mounted, which takes root. */
  def of(size: Int)(use: SmallDisk => Unit): Unit = {
    val folder = Files.createTempDirectory("small-disk")
    val mount = run("mount", "-t", "tmpfs", "-o", s"size=${size}k", "tmpfs", s"$folder")
    try {
      assume(mount.isEmpty, s"no disk can be mounted here, which takes root: ${mount.mkString}")
      try use(new SmallDisk(folder))
      finally run("umount", "--lazy", s"$folder").foreach(why => throw new IOException(why))
    } finally Files.delete(folder)
  }

  /** What it said, if it failed. */
  private def run(command: String*): Option[String] =
    try {
      val process = new ProcessBuilder(command: _*).redirectErrorStream(true).start()
      val said = new String(process.getInputStream.readAllBytes).trim
      Option.when(process.waitFor() != 0)(said)
    } catch { case missing: IOException => Some(missing.getMessage) }
}

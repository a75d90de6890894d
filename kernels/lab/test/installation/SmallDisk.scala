package lab.installation

import java.io.IOException
import java.nio.file.{Files, Path}

import munit.Assertions.assume

/** A small separate disk, which a test can fill. */
private[lab] final class SmallDisk(val folder: Path) {
  private val filler = folder.resolve("filler")

  /** Fills the disk, except for `left` KiB. */
  def fill(left: Int = 0): Unit = {
    val _ = Files.deleteIfExists(filler)
    val rest = (Files.getFileStore(folder).getUsableSpace - (left.toLong << 10)).max(0)
    try { val _ = Files.write(filler, new Array[Byte](rest.toInt)) }
    catch { case _: IOException => () } // the last page doesn't fit
  }

  def makeRoom(): Unit = Files.delete(filler)
}

private[lab] object SmallDisk {

  /** Calls `use` with a disk of `size` KiB. Skips the test if none can be mounted, because that needs root. */
  def of(size: Int)(use: SmallDisk => Unit): Unit = {
    val folder = Files.createTempDirectory("small-disk")
    val mount = run("mount", "-t", "tmpfs", "-o", s"size=${size}k", "tmpfs", s"$folder")
    try {
      assume(mount.isEmpty, s"no disk can be mounted here, because that needs root: ${mount.mkString}")
      try use(new SmallDisk(folder))
      finally run("umount", "--lazy", s"$folder").foreach(why => throw new IOException(why))
    } finally Files.delete(folder)
  }

  /** Returns the program's output if it failed. */
  private def run(command: String*): Option[String] =
    try {
      val process = new ProcessBuilder(command: _*).redirectErrorStream(true).start()
      val said = new String(process.getInputStream.readAllBytes).trim
      Option.when(process.waitFor() != 0)(said)
    } catch { case missing: IOException => Some(missing.getMessage) }
}

package lab.process

import java.io.{FilterInputStream, IOException, InputStream}

/** A program's output, up to a bound. Reading fails if the lines read so far take more than `most` bytes of memory. */
private[process] final class Bounded(in: InputStream, most: Long) extends FilterInputStream(in) {
  import Bounded.aLine
  private var seen = 0L

  override def read(bytes: Array[Byte], from: Int, length: Int): Int = {
    val n = super.read(bytes, from, length)
    for (at <- from until from + n) seen += (if (bytes(at) == '\n') aLine else 1)
    if (seen > most) throw new IOException(s"it takes more than ${most >> 20} MiB of memory; let the program print less")
    n
  }

  override def read(): Int = {
    val one = new Array[Byte](1)
    if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
  }
}

private[process] object Bounded {

  /** The bound for a fork: a program that prints without end takes no more of the kernel's heap. */
  val ofAFork: Long = 8L << 20
  val ofATool: Long = 64L << 20

  /** The bytes that a String and its place in a list take in addition to its letters. */
  private val aLine = 64

  /** Builds the error for output that couldn't be read to its end. */
  def cutOff(why: Throwable): IOException =
    new IOException(s"a program's output isn't complete, so nothing of it is used: ${why.getMessage}. The program was ended.", why)
}

package lab.process

import java.io.{ByteArrayOutputStream, InputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{CompletableFuture, TimeUnit, TimeoutException}

import scala.concurrent.duration._

/** All that a child prints on one of its outputs, kept in memory, so that it can't fill up a disk. A separate thread reads it. */
private[process] final class Printed(process: Process, stream: InputStream) {
  private val kept = new ByteArrayOutputStream
  private val over = new CompletableFuture[Option[Throwable]]
  Child.follow(process) { () =>
    val _ = new Bounded(stream, Bounded.ofAFork).transferTo(kept)
  } { why =>
    val _ = over.complete(why)
  }

  /** Waits for the output's end, for at most `limit`, and returns whether it has come.
    *
    * @throws java.io.IOException if the output can't be read to the end, or is too long
    */
  def hasEnded(limit: FiniteDuration): Boolean =
    try {
      over.get(limit.toNanos, TimeUnit.NANOSECONDS).foreach(why => throw Bounded.cutOff(why))
      true
    } catch { case _: TimeoutException => false }

  /** Returns what was printed until now. */
  def lines: Vector[String] = kept.toString(UTF_8).linesIterator.toVector
}

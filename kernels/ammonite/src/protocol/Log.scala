package ammonite.course

import java.io.{FileDescriptor, FileOutputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

/** Reports to the person who runs the kernel, one line each. Thread-safe. */
private[course] final class Log(sink: PrintStream) {
  private val counts = new ConcurrentHashMap[String, AtomicLong]

  def line(text: String): Unit = {
    val flat = text.replaceAll("\\s+", " ")
    sink.println(s"[scala-course] ${if (flat.length > Log.maxChars) flat.take(Log.maxChars) + " …" else flat}")
  }

  /** Logs the first, the tenth, the hundredth occurrence and so on. Strangers can cause some messages any number of times, and those must
    * not fill a disk.
    */
  def sparsely(text: String): Unit = {
    val count = counts.computeIfAbsent(text, _ => new AtomicLong).incrementAndGet()
    if (Iterator.iterate(1L)(_ * 10).dropWhile(_ < count).next() == count) line(if (count == 1) text else s"$text ($count times so far)")
  }
}

private[course] object Log {
  private val maxChars = 1000

  /** The standard error of the process. `System.err` belongs to the cells once the kernel has started. */
  lazy val ofProcess = new Log(new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8))

  /** Describes `thrown` and where it was thrown, for one line. */
  def stackTrace(thrown: Throwable): String =
    (thrown.toString +: thrown.getStackTrace.take(4).map(frame => s"at $frame")).mkString(" ")
}

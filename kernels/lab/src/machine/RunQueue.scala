package lab.machine

import java.io.IOException
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

/** Counts how many of this JVM's threads are in the operating system's run queues: ready to run, but without a CPU.
  *
  * Linux counts for each thread how long it was in one (`/proc/self/task/TID/schedstat`, the second number, in nanoseconds). Other systems
  * don't report it.
  *
  * {{{
  * val watch = RunQueue.watch()
  * work()
  * watch.waiting   // Some(11.3): so many waited for a CPU at a time, on average
  * }}}
  */
object RunQueue {

  /** Starts watching. */
  def watch(): Watch = new Watch(waited(), System.nanoTime)

  /** @param before how long each thread had waited at the start */
  final class Watch private[RunQueue] (before: Option[Map[String, Long]], beganNanos: Long) {

    /** Returns how many threads waited for a CPU at a time, on average since the start: the waiting time of all threads, divided by the
      * time that has passed. It can't see threads that have ended meanwhile, so call it before you close a pool. Returns `None` if the
      * system doesn't report these times.
      */
    def waiting: Option[Double] = for {
      from <- before
      until <- waited()
    } yield {
      val nanos = until.map { case (thread, sum) => (sum - from.getOrElse(thread, 0L)).max(0L) }.sum
      nanos.toDouble / (System.nanoTime - beganNanos).max(1L)
    }
  }

  private val threads = Path.of("/proc/self/task")

  /** Returns how long each living thread has waited since it began. */
  private def waited(): Option[Map[String, Long]] =
    if (!Files.isReadable(threads.resolveSibling("schedstat"))) None
    else Some(Using.resource(Files.newDirectoryStream(threads))(_.asScala.toVector).flatMap(of).toMap).filter(_.nonEmpty)

  /** Returns `None` for a thread that ends while it is read, or that has never run. On a kernel that doesn't count, it returns `None` for
    * all threads.
    */
  private def of(thread: Path): Option[(String, Long)] =
    try
      Files.readString(thread.resolve("schedstat")).split("\\s+") match {
        case Array(ran, waited, _*) if ran != "0" => waited.toLongOption.map(thread.getFileName.toString -> _)
        case _                                    => None
      }
    catch { case _: IOException => None }
}

package lab.machine

import java.io.IOException
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

/** How many of this JVM's threads stand in the system's run queues: ready to run, but without a CPU.
  *
  * Linux counts for each thread how long it did (`/proc/self/task/TID/schedstat`, the second number, in nanoseconds); elsewhere nobody tells.
  *
  * {{{
  * val watch = RunQueue.watch()
  * work()
  * watch.waiting   // Some(11.3): so many waited for a CPU at a time, on average
  * }}}
  */
object RunQueue {

  /** Looks from now on. */
  def watch(): Watch = new Watch(waited(), System.nanoTime)

  /** @param before what each thread had waited when the look began */
  final class Watch private[RunQueue] (before: Option[Map[String, Long]], beganNanos: Long) {

    /** How many threads waited for a CPU at a time, on average since the look began: the time that all of them waited, divided by the time
      * that has gone by. Of threads that have ended meanwhile nothing is known any more, so ask before a pool is closed. `None` where the
      * system doesn't tell.
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

  /** What each thread that is there has waited since it began. */
  private def waited(): Option[Map[String, Long]] =
    if (!Files.isReadable(threads.resolveSibling("schedstat"))) None
    else Some(Using.resource(Files.newDirectoryStream(threads))(_.asScala.toVector).flatMap(of).toMap).filter(_.nonEmpty)

  /** None for a thread that ends while it is looked at, or that has never run: a kernel that doesn't count says so of all. */
  private def of(thread: Path): Option[(String, Long)] =
    try
      Files.readString(thread.resolve("schedstat")).split("\\s+") match {
        case Array(ran, waited, _*) if ran != "0" => waited.toLongOption.map(thread.getFileName.toString -> _)
        case _                                    => None
      }
    catch { case _: IOException => None }
}

package lab.machine

import java.io.IOException
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

/** Measures whether other programs, or the hypervisor on behalf of other machines, use the CPUs of an experiment.
  *
  * Linux counts the time of each CPU (`/proc/stat`) and of each process (`/proc/PID/stat`, in ticks of 10 ms). The others' share is the
  * CPUs' busy time without that of this JVM and its children. Other systems don't report these times, so nothing counts as disturbed there.
  */
object Neighbours {

  /** The share of the CPUs' time that counts as a disturbance if others take more of it, unless CPUs were idle, too. */
  private val most = 0.1
  private val roomy = 0.25

  /** Starts watching. */
  def watch(): Watch = new Watch(look())

  /** @param before what was counted at the start */
  final class Watch private[Neighbours] (before: Option[Ticks]) {

    /** Returns the share of the CPUs' time that others took since the start, from 0 to 1; `None` if the system doesn't report it. */
    def taken: Option[Double] = since.map(_._1)

    /** Returns whether others took more than a tenth of the CPUs' time while hardly any CPU was idle. Then anything measured meanwhile took
      * longer.
      */
    def disturbed: Boolean = since.exists { case (taken, idle) => taken > most && idle < roomy }

    override def toString: String = "watches what other programs take"

    /** Prints one sentence if others disturbed the experiment. */
    def tell(): Unit = for (share <- taken if disturbed)
      println(
        s"This machine is busy: other programs took ${math.round(100 * share)} % of the CPUs' time during this cell. " +
          "So whatever it timed took longer than on a quiet machine."
      )

    private def since: Option[(Double, Double)] = for {
      from <- before
      until <- look()
      all = (until.all - from.all).toDouble
      if all > 0
    } yield {
      val idle = until.idle - from.idle
      // If a process ends between the two readings, its time reaches its parent's counters a little later.
      val others = (all - idle - (until.own - from.own)).max(0)
      (others / all, idle / all)
    }
  }

  /** The ticks since the system started: of the CPUs that this JVM may use, of their idle time, and of this JVM and its children. */
  private final case class Ticks(all: Long, idle: Long, own: Long)

  private val proc = Path.of("/proc")

  private def look(): Option[Ticks] =
    try {
      val cpus = allowed
      val lines = Files.readAllLines(proc.resolve("stat")).asScala.map(_.split(" +")).filter(words => cpus.contains(words(0)))
      // The ninth and tenth number, the guests' time, are part of the first two.
      val times = lines.map(_.slice(1, 9).map(_.toLong))
      Option.when(times.nonEmpty)(Ticks(times.map(_.sum).sum, times.map(cpu => cpu(3) + cpu(4)).sum, own))
    } catch { case _: IOException => None }

  /** Returns the names of the allowed CPUs: `cpu0`, `cpu2`, … */
  private def allowed: Set[String] =
    Using
      .resource(Files.lines(proc.resolve("self/status")))(_.iterator.asScala.collectFirst { case s"Cpus_allowed_list:$list" =>
        list.trim.split(',').toSet.flatMap { (part: String) =>
          val ends = part.split('-').map(_.toInt)
          (ends.head to ends.last).map(cpu => s"cpu$cpu")
        }
      })
      .getOrElse(Set.empty)

  private def own: Long = {
    val self = ProcessHandle.current
    (self +: self.descendants.iterator.asScala.toVector).map(process => used(process.pid)).sum
  }

  /** Returns the ticks of the process and of its children that have ended; 0 if it ends while it is read. */
  private def used(pid: Long): Long =
    try {
      // The process's name is in parentheses, and may contain anything.
      val fields = Files.readString(proc.resolve(s"$pid/stat")).split("\\) ").last.split(' ')
      fields.slice(11, 15).map(_.toLong).sum
    } catch { case _: IOException => 0 }
}

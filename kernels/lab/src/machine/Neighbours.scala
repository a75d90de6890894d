package lab.machine

import java.io.IOException
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

/** Whether other programs, or the hypervisor on behalf of other machines, use the CPUs that an experiment runs on.
  *
  * Linux counts what each CPU does (`/proc/stat`) and what each process uses (`/proc/PID/stat`, in ticks of 10 ms). What the CPUs did, less
  * what this JVM and its children used, was the others'. Elsewhere nobody tells, and nothing counts as disturbed.
  *
  * {{{
  * val watch = Neighbours.watch()
  * measure()
  * watch.taken   // Some(0.23): others had 23 % of the CPUs' time
  * }}}
  */
object Neighbours {

  /** So much taken is a disturbance, unless CPUs were idle besides. */
  private val most = 0.1
  private val roomy = 0.25

  /** Looks from now on. */
  def watch(): Watch = new Watch(look())

  /** @param before what was counted when the look began */
  final class Watch private[Neighbours] (before: Option[Ticks]) {

    /** The share of the CPUs' time that others had since the look began, from 0 to 1; `None` where the system doesn't tell. */
    def taken: Option[Double] = since.map(_._1)

    /** Whether it was a tenth or more of their time, and hardly any of them was idle: then what was measured meanwhile took longer for it. */
    def disturbed: Boolean = since.exists { case (taken, idle) => taken > most && idle < roomy }

    private def since: Option[(Double, Double)] = for {
      from <- before
      until <- look()
      all = (until.all - from.all).toDouble
      if all > 0
    } yield {
      val idle = until.idle - from.idle
      // Of a process that ends between the two readings its parent knows a little later.
      val others = (all - idle - (until.own - from.own)).max(0)
      (others / all, idle / all)
    }
  }

  /** Ticks since the system started: of the CPUs that this JVM may use, of these idle, and used by this JVM and its children. */
  private final case class Ticks(all: Long, idle: Long, own: Long)

  private val proc = Path.of("/proc")

  private def look(): Option[Ticks] =
    try {
      val cpus = allowed
      val lines = Files.readAllLines(proc.resolve("stat")).asScala.map(_.split(" +")).filter(words => cpus.contains(words(0)))
      // Guests' time (the ninth and tenth number) is part of the first two.
      val times = lines.map(_.slice(1, 9).map(_.toLong))
      Option.when(times.nonEmpty)(Ticks(times.map(_.sum).sum, times.map(cpu => cpu(3) + cpu(4)).sum, own))
    } catch { case _: IOException => None }

  /** `cpu0`, `cpu2`, … */
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

  /** Of the process and of its children that have ended; 0 of one that ends while it is looked at. */
  private def used(pid: Long): Long =
    try {
      // The name, in parentheses, may hold anything.
      val fields = Files.readString(proc.resolve(s"$pid/stat")).split("\\) ").last.split(' ')
      fields.slice(11, 15).map(_.toLong).sum
    } catch { case _: IOException => 0 }
}

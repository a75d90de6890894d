package lab.process

import java.io.IOException
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

/** A bound on the CPU time of a forked JVM, as containers set it. In each tenth of a second the JVM may use a given time, and then has to
  * wait for the next tenth (the Linux kernel's CFS bandwidth control, `cpu.max`).
  *
  * A quota needs a control group, and the right to make one, which is root's, outside most containers. If that is missing, a page shows
  * what was recorded.
  */
object CpuQuota {

  /** True if a quota can be set here. */
  lazy val available: Boolean = places.exists { place =>
    val trial = place.folder.resolve(s"course-trial-${ProcessHandle.current.pid}")
    try {
      Files.createDirectory(trial)
      try place.files.forall(name => Files.isWritable(trial.resolve(name)))
      finally Files.delete(trial)
    } catch { case _: IOException | _: SecurityException => false }
  }

  /** Returns how many periods a program that runs within a quota has had so far, and in how many of them it had to stop because the quota
    * was used up. `None` if the system doesn't say, because there is no control group or because the kernel isn't Linux.
    */
  def stoodStill: Option[StoodStill] =
    try {
      val group = Files.readAllLines(Path.of("/proc/self/cgroup")).asScala.map(_.split(":", 3)).collectFirst {
        case Array(_, controllers, path) if controllers.isEmpty || controllers.split(',').contains("cpu") => path.stripPrefix("/")
      }
      for (place <- places; path <- group; file = place.folder.resolve(path).resolve("cpu.stat") if Files.isReadable(file)) yield {
        val stat = Files.readAllLines(file).asScala.map(_.split(' ')).collect { case Array(name, value) => name -> value.toLong }.toMap
        StoodStill(stat.getOrElse("nr_periods", 0L), stat.getOrElse("nr_throttled", 0L))
      }
    } catch { case _: IOException | _: SecurityException => None }

  /** Changes `command` so that it runs within `cpus` CPUs' time, and returns it unchanged if no quota is asked for. The kernel has to keep
    * the command's standard input open: see [[keeper]].
    *
    * @throws java.lang.IllegalArgumentException if the quota isn't above zero
    * @throws java.lang.IllegalStateException if no quota can be set here
    */
  private[process] def wrap(cpus: Option[Double], command: Seq[String]): Seq[String] = cpus.fold(command) { quota =>
    if (!(quota >= 0.01)) throw new IllegalArgumentException(s"a quota of $quota CPUs: 0.01 is the least that the kernel takes")
    val place = places
      .find(_ => available)
      .getOrElse(
        throw new IllegalStateException("no CPU quota can be set here (that takes root, outside a container); see CpuQuota.available")
      )
    val limits = place.limits((quota * periodMicros).round).map { case (name, value) => s"echo '$value' > \"$$0/$name\"" }
    val group = place.folder.resolve(s"course-${ProcessHandle.current.pid}-${counter.incrementAndGet()}")
    val join = limits :+ "echo $$ > \"$0/cgroup.procs\""
    val script =
      s"$keeper; n=0; until [ -d \"$$0\" ] || [ $$n -ge 50 ]; do n=$$((n + 1)); sleep 0.02; done; ${join.mkString(" && ")} || exit 125; exec \"$$@\""
    Seq("/bin/sh", "-c", script, group.toString) ++ command
  }

  /** Makes the control group, and removes it once nobody is in it. Its own session and a missing parent keep this shell alive if the kernel
    * is killed together with all that it started. The kernel holds the other end of standard input, so the input's end shows that the
    * program or the kernel is gone.
    */
  private val keeper = {
    val work = "mkdir \"$0\" && cat > /dev/null; n=0; until rmdir \"$0\" || [ $n -ge 300 ]; do n=$((n + 1)); sleep 0.1; done"
    // Without job control, a shell gives a background job no standard input, but a numbered descriptor stays open.
    s"exec 3<&0; (setsid /bin/sh -c '$work' \"$$0\" <&3 3<&- > /dev/null 2>&1 &); exec 3<&-"
  }

  private val periodMicros = 100000L
  private val counter = new java.util.concurrent.atomic.AtomicInteger

  /** @param limits returns what to write to which file to allow a number of microseconds in a period */
  private final case class Place(folder: Path, limits: Long => Seq[(String, String)]) {
    def files: Seq[String] = limits(periodMicros).map(_._1)
  }

  /** Finds version 2 of control groups, or version 1. */
  private def places: Option[Place] = {
    val root = Path.of("/sys/fs/cgroup")
    if (Files.isRegularFile(root.resolve("cgroup.controllers"))) Some(Place(root, micros => Seq("cpu.max" -> s"$micros $periodMicros")))
    else
      Option.when(Files.isDirectory(root.resolve("cpu")))(
        Place(root.resolve("cpu"), micros => Seq("cpu.cfs_period_us" -> s"$periodMicros", "cpu.cfs_quota_us" -> s"$micros"))
      )
  }
}

/** The effect of a CPU quota on a program.
  *
  * @param periods   the number of periods, each a tenth of a second, in which the program wanted to run
  * @param throttled the number of those in which it used up its quota and had to wait for the next
  */
final case class StoodStill(periods: Long, throttled: Long) {

  /** Returns the percentage of periods in which the program had to wait. */
  def percent: Double = if (periods == 0) 0 else 100.0 * throttled / periods
}

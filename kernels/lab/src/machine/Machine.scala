package lab.machine

import java.lang.management.ManagementFactory
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Path}

import lab.installation.{Installation, OpenedPages}
import lab.process.Beans
import lab.show.{Display, Table}

import scala.jdk.CollectionConverters._
import scala.util.{Properties, Using}

/** The machine as this JVM sees it. Pages compute an experiment's expectations from it, and show it as a banner at their start.
  *
  * @param cpus        `Runtime.availableProcessors`: in a container the quota, and the option's value if `-XX:ActiveProcessorCount` is set
  * @param processor   the processor's name as the system gives it, or its architecture
  * @param memoryBytes physical memory, or the container's limit if that is lower; 0 if this JVM can't tell
  * @param heapBytes   the largest size of the heap (`-Xmx`)
  * @param collector   the garbage collector, named after its option
  * @param jdk         vendor and full version
  * @param jdkFeature  the JDK's number, such as 25
  * @param scala       the version of the Scala library
  * @param kernel      the kernel that runs the cells, its version, and why it is this one
  * @param profile     how long experiments may run here
  * @param place       Binder, a container with a limit, or neither
  * @param pools       the default size of every pool in the course
  */
final class Machine(
    val cpus: Int,
    val processor: String,
    val memoryBytes: Long,
    val heapBytes: Long,
    val collector: String,
    val jdk: String,
    val jdkFeature: Int,
    val scala: String,
    val kernel: String,
    val profile: Profile,
    val place: String,
    val pools: Vector[PoolSize]
) {

  /** Returns the parallelism of `ExecutionContext.global`, as the pool itself reports it. */
  def globalParallelism: Int = pool("Scala ExecutionContext.global")

  /** Returns the parallelism of the common pool, as the pool itself reports it. */
  def commonParallelism: Int = pool("ForkJoinPool.commonPool")

  /** Returns the number of carrier threads of virtual threads. */
  def carriers: Int = pool("virtual threads' carriers")

  private def pool(name: String): Int = pools.find(_.name == name).fold(cpus)(_.effective)

  /** Shows the banner, two small tables, under the running cell.
    *
    * @param jdk the oldest JDK on which all cells of the page run; on an older one the banner says that some fail
    */
  def show(jdk: Int = Machine.oldestJdk): Unit = {
    val (facts, sizes) = (factTable(jdk), poolTable)
    Display.show(
      Map(
        "text/plain" -> s"${facts.plain}\n\n${sizes.plain}",
        "text/html" -> s"<div style=\"display:flex;flex-wrap:wrap;gap:0 3em;align-items:flex-start\"><div>${facts.html}</div><div>${sizes.html}</div></div>"
      )
    )
  }

  private def factTable(needed: Int): Table = Table(
    "This machine, as the JVM sees it",
    Seq("what", "found"),
    Seq(
      Seq("CPUs", cpus.toString),
      Seq("processor", processor),
      Seq("memory", if (memoryBytes > 0) Machine.mebibytes(memoryBytes) else "unknown"),
      Seq("heap limit", Machine.mebibytes(heapBytes)),
      Seq("garbage collector", collector),
      Seq("JDK", jdk),
      Seq("Scala", scala),
      Seq("kernel", kernel),
      Seq("profile", profile.name),
      Seq("place", place)
    ) ++ Option.when(jdkFeature < needed)(
      Seq("this page", s"has cells that fail here: they need JDK $needed, which set-up brings. Start the course without COURSE_JAVA_HOME")
    ) ++ Installation.find.flatMap(_.underWay).map(doing => Seq("set-up", s"goes on in the background: $doing"))
  )

  private def poolTable: Table = Table(
    "How many threads its pools start with",
    Seq("pool", "threads", "rule", "asked the pool"),
    pools.map(size => Seq(size.name, size.threads.toString, size.rule, size.live.fold("–")(_.toString)))
  )

  override def toString: String = Machine.description(s"$cpus", s"$jdkFeature", scala, s"$profile")
}

object Machine {

  /** The oldest JDK on which kernels start. */
  private[lab] val oldestJdk = 21

  /** Shows the banner and returns the machine, in the first code cell of every page. It records that the page was opened, for the reader's
    * progress.
    *
    * @param jdk the oldest JDK on which all cells of the page run; on an older one the banner says that some fail
    */
  def preflight(jdk: Int = oldestJdk): Machine = {
    val machine = here()
    machine.show(jdk)
    OpenedPages.keep()
    machine
  }

  /** Describes this JVM. Nothing is cached.
    *
    * @throws java.lang.IllegalArgumentException if `COURSE_PROFILE` names no profile
    */
  def here(): Machine = {
    val runtime = Runtime.getRuntime
    val memory =
      Beans.attribute("java.lang:type=OperatingSystem", "TotalMemorySize").collect { case bytes: java.lang.Long => bytes.longValue }
    new Machine(
      cpus = runtime.availableProcessors,
      processor = processorOf(Path.of("/proc/cpuinfo"), sys.env.get),
      memoryBytes = memory.getOrElse(0L),
      heapBytes = runtime.maxMemory,
      collector = collectorOf(ManagementFactory.getGarbageCollectorMXBeans.asScala.map(_.getName).toSeq),
      jdk = s"${Runtime.version} (${System.getProperty("java.vendor", "unknown vendor")})",
      jdkFeature = Runtime.version.feature,
      scala = Properties.versionNumberString,
      kernel = kernelOf(sys.props.get),
      profile = Profile.current,
      place = placeOf(sys.env.keySet.toSet, memory.getOrElse(0L), hostMemory),
      pools = Pools.all(runtime.availableProcessors)
    )
  }

  /** Returns how many threads ran or were ready to run on the whole computer, averaged over the last minute; `None` if the system doesn't
    * report it.
    */
  private[lab] def load: Option[Double] = Option(ManagementFactory.getOperatingSystemMXBean.getSystemLoadAverage).filter(_ >= 0)

  /** Returns the conditions of a result in words, for this machine or for the one on which the result was recorded. */
  private[lab] def description(cpus: String, jdk: String, scala: String, profile: String): String =
    s"$cpus CPU${if (cpus == "1") "" else "s"}, JDK $jdk, Scala $scala, profile $profile"

  /** Returns the name from Linux's own file, from the variable that Windows sets, or else the architecture. Trademark signs are left out. */
  private[machine] def processorOf(cpuinfo: Path, variable: String => Option[String]): String = {
    val named =
      if (!Files.isReadable(cpuinfo)) variable("PROCESSOR_IDENTIFIER")
      else Using.resource(Files.lines(cpuinfo, ISO_8859_1))(_.iterator.asScala.collectFirst { case ModelName(name) => name })
    named.map(_.replaceAll("\\((R|TM)\\)", "").replaceAll("\\s+", " ").trim).filter(_.nonEmpty).getOrElse(sys.props("os.arch"))
  }
  private val ModelName = "model name\\s*:(.*)".r

  private[machine] def collectorOf(beans: Seq[String]): String =
    Seq("G1" -> "G1", "ZGC" -> "Z", "Shenandoah" -> "Shenandoah", "PS " -> "Parallel", "Copy" -> "Serial")
      .collectFirst { case (mark, name) if beans.exists(_.startsWith(mark)) => name }
      .getOrElse(beans.mkString(" + "))

  private[machine] def kernelOf(property: String => Option[String]): String =
    property("course.kernel") match {
      case None => "none of the course's"
      case Some(name) =>
        (Seq(name) ++ property("course.kernel.version") ++ property("course.kernel.why").map(why => s"– $why")).mkString(" ")
    }

  /** Returns in words where this JVM runs. The JVM reports the container's limit, so only the host's own memory shows whether there is one.
    */
  private[machine] def placeOf(environment: Set[String], memoryBytes: Long, hostBytes: Option[Long]): String =
    if (environment.exists(_.startsWith("BINDER_"))) "Binder: little CPU and memory, and it stops after a few idle minutes"
    else if (hostBytes.exists(_ > memoryBytes && memoryBytes > 0)) s"a container limited to ${mebibytes(memoryBytes)}"
    else "no container limit seen"

  /** Returns the host's memory from Linux's own file; `None` on other systems. */
  private def hostMemory: Option[Long] = {
    val file = Path.of("/proc/meminfo")
    if (!Files.isReadable(file)) None
    else Files.readAllLines(file).asScala.collectFirst { case MemTotal(kibibytes) => kibibytes.toLong * 1024 }
  }
  private val MemTotal = "MemTotal:\\s+(\\d+) kB".r

  private[machine] def mebibytes(bytes: Long): String = {
    val mib = bytes / (1L << 20)
    if (mib < 10 * 1024) s"$mib MiB" else s"${mib / 1024} GiB"
  }
}

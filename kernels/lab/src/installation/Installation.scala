package lab.installation

import java.nio.file.attribute.BasicFileAttributes
import java.nio.file.{Files, NoSuchFileException, Path}
import java.time.Instant

import com.google.gson.{JsonElement, JsonObject, JsonParseException, JsonParser}

import lab.show.ProgressLine

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Properties

/** Knows the course's folder and what its set-up brought: compilers, systems, older JDKs. Set-up lists each part in
  * `.build/installation.json` as soon as it is there. `.build/set-up.json` exists while set-up still runs in the background, or if it
  * failed. Both files are read again for each question. It is thread-safe.
  *
  * If set-up is running, every question waits for its own part, and says so under the cell. An interrupt of the cell ends the wait. If a
  * part isn't there and nothing brings it, an `IllegalStateException` gives the reason and the remedy.
  *
  * @param home the repository
  */
private[lab] final class Installation(val home: Path) extends Tools {
  import Installation._

  def data: Path = home.resolve("data")

  def cache(kind: String): Path = build.resolve(kind)

  /** Returns the JARs of `kotlin` (the compiler with its dependencies) or of `jmh` (with its generator and ecj). */
  def jars(tool: String): Vector[Path] = part(tool)(list => Option(list.get(tool)).map(paths))

  def scalac(version: String): Option[Scalac] = awaited(s"scalac $version") { list =>
    entries(list, "scalac").collectFirst { case (found, jars) if s"$found.".startsWith(s"$version.") => Scalac(found, paths(jars)) }
  }

  /** Returns the compiler of the Scala version on which the kernel runs. */
  def ownScalac: Scalac = {
    val version = Properties.versionNumberString
    scalac(version).getOrElse(throw absent(s"scalac $version"))
  }

  /** Returns the versions of the compilers that are there by now. */
  def scalacs: Seq[String] = entries(list, "scalac").map(_._1).sorted

  /** Returns Scala's library, by version. */
  def libraries: Map[String, Path] = part("libraries")(list => field(list, "libraries").map(_ => files(list, "libraries")))

  /** Returns the older Java runtimes, by number; none if set-up hasn't brought them. */
  def jdks: Map[Int, Path] =
    awaited("jdks")(list => field(list, "jdks").map(_ => files(list, "jdks"))).getOrElse(Map.empty).map { case (number, home) =>
      number.toInt -> home
    }

  /** Returns the names of the real systems (a server, a load generator) that pages run in separate JVMs, as in `kernels/build.json`. */
  def systems: Seq[String] = entries(read(home.resolve("kernels").resolve("build.json")), "systems").map(_._1).sorted

  /** Returns the JARs of the system `name`, one of [[systems]]. */
  def system(name: String): Vector[Path] = part(name)(list => field(list, "systems").flatMap(all => Option(all.get(name))).map(paths))

  /** Returns the folder above PostgreSQL's `bin`; `None` if set-up couldn't bring it, because there is none for this platform. */
  def postgres: Option[Path] =
    part("postgres")(list => field(list, "postgres").map(_ => files(list, "postgres"))).get("home")

  /** Returns what a set-up is doing in the background; `None` if none is running. */
  def underWay: Option[String] = state.filter(_.lives).map(_.doing)

  def failure: Option[String] =
    state.map(_.failed).filter(_.nonEmpty).map(why => s"The set-up's background part failed: ${why.stripSuffix(".")}.")

  private def part[A](name: String)(look: JsonObject => Option[A]): A =
    awaited(name)(look).getOrElse(throw absent(name))

  private def absent(name: String): IllegalStateException =
    new IllegalStateException((s"the set-up's part `$name` isn't there." +: failure.toSeq :+ remedy).mkString(" "))

  private def awaited[A](name: String)(look: JsonObject => Option[A]): Option[A] = {
    lazy val line = new ProgressLine("Set-up")
    @tailrec def next(waited: Boolean): Option[A] = {
      // Read before the list. Set-up writes its last part into the list before it reports its end.
      val doing = underWay
      (look(list), doing) match {
        case (None, Some(doing)) =>
          line.say(s"this cell waits for the set-up's part `$name`, ${line.time}: $doing")
          Thread.sleep(pauseMillis)
          next(waited = true)
        case (found, _) =>
          if (waited) line.say(s"`$name` is ${if (found.isEmpty) "not available" else "there"}, ${line.time}")
          found
      }
    }
    next(waited = false)
  }

  private def build: Path = home.resolve(".build")
  private def list: JsonObject = read(build.resolve("installation.json"))
  private def state: Option[State] = {
    val file = build.resolve("set-up.json")
    val state = read(file)
    def text(name: String): String = Option(state.get(name)).filter(_.isJsonPrimitive).fold("")(_.getAsString)
    Option.when(state.has("process"))(State(state.get("process").getAsLong, writtenAt(file), text("doing"), text("failed")))
  }
}

object Installation {

  /** Returns the folder with the lab's sources; `None` outside a course kernel. */
  def sources: Option[Path] = find.map(_.home.resolve("kernels").resolve("lab").resolve("src"))

  /** Returns the folder for this reader's measurements: the value of `COURSE_RESULTS`, or else `data/results`. Without that variable it is
    * `None` outside a course kernel.
    */
  private[lab] def results: Option[Path] =
    sys.env.get("COURSE_RESULTS").filter(_.nonEmpty).map(Path.of(_)).orElse(find.map(_.data.resolve("results")))

  private val pauseMillis = 500L

  /** The remedy for a missing part. */
  private[lab] val remedy = "Run `kernels/course setup`, which brings it; then run this cell again."

  /** Returns the installation of this kernel's course.
    *
    * @param what what needs the installation
    * @throws java.lang.IllegalStateException outside a course kernel, with a message about `what`
    */
  private[lab] def here(what: String): Installation = find.getOrElse(throw new IllegalStateException(Tools.ofTheCourse(what)))

  /** Returns the tools that compile cells in this kernel, whether it is the course's or another one.
    *
    * @throws java.lang.IllegalStateException in a JVM that neither belongs to the course nor has the lab from its artifact
    */
  private[lab] def tools: Tools = find.getOrElse(DownloadedTools.here)

  /** Returns the installation of this kernel's course; `None` outside a course kernel. */
  private[lab] def find: Option[Installation] = sys.props.get("course.home").map(home => new Installation(Path.of(home)))

  /** @param written when it said so. A later process with the same number is a different one */
  private final case class State(process: Long, written: Instant, doing: String, failed: String) {
    def lives: Boolean = failed.isEmpty && {
      val handle = ProcessHandle.of(process)
      // A killed process stays in the system's list, without a command, until its parent asks for it.
      handle.isPresent && handle.get.isAlive && handle.get.info.command.isPresent && !handle.get.info.startInstant
        .filter(_.minusSeconds(1).isAfter(written))
        .isPresent
    }
  }

  private def writtenAt(file: Path): Instant =
    try Files.readAttributes(file, classOf[BasicFileAttributes]).lastModifiedTime.toInstant
    catch { case _: NoSuchFileException => Instant.MAX }

  /** Reads a JSON object; it is empty if there is no such file. */
  private def read(file: Path): JsonObject =
    try {
      val text = Disk.explained(file.getParent)(Files.readString(file))
      JsonParser.parseString(text) match {
        case list: JsonObject => list
        case _                => throw broken(file, if (text.isBlank) "it is empty" else s"it begins with ${text.take(40)}", null)
      }
    } catch {
      case _: NoSuchFileException   => new JsonObject
      case torn: JsonParseException => throw broken(file, torn.getMessage, torn)
    }

  private def broken(file: Path, what: String, why: Throwable): IllegalStateException =
    new IllegalStateException(
      s"$file can't be read: a JSON object was expected, but $what. Run `kernels/course setup`, which writes it again; then run this cell again.",
      why
    )

  private def field(json: JsonObject, name: String): Option[JsonObject] = Option(json.getAsJsonObject(name))
  private def entries(json: JsonObject, name: String): Vector[(String, JsonElement)] =
    field(json, name).fold(Vector.empty[(String, JsonElement)])(_.entrySet.asScala.map(entry => entry.getKey -> entry.getValue).toVector)

  /** Returns the listed files that exist, by name. */
  private def files(json: JsonObject, name: String): Map[String, Path] =
    entries(json, name).map { case (key, path) => key -> Path.of(path.getAsString) }.filter(entry => Files.exists(entry._2)).toMap

  /** @throws java.lang.IllegalStateException if one of them is gone */
  private def paths(element: JsonElement): Vector[Path] = {
    val all = element.getAsJsonArray.asScala.map(entry => Path.of(entry.getAsString)).toVector
    all.find(!Files.isRegularFile(_)).foreach { jar =>
      throw new IllegalStateException(s"$jar is gone. $remedy")
    }
    all
  }
}

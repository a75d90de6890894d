package lab.installation

import java.nio.file.attribute.BasicFileAttributes
import java.nio.file.{Files, NoSuchFileException, Path}
import java.time.Instant

import com.google.gson.{JsonElement, JsonObject, JsonParseException, JsonParser}

import lab.show.ProgressLine

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Properties

/** Where the course lies, and what its set-up has brought: compilers, systems, older JDKs. Set-up lists all that in
  * `.build/installation.json`, part by part as it comes; `.build/set-up.json` is there while it still goes on in the background, or where
  * that failed. Both are read anew each time; thread-safe.
  *
  * Every question waits for its own part while a set-up is under way, and says so under the cell; an interrupt of the cell ends that. Of a
  * part that isn't there, and that nobody brings, an `IllegalStateException` says why and what to do.
  *
  * @param home the repository
  */
private[lab] final class Installation(val home: Path) extends Tools {
  import Installation._

  def data: Path = home.resolve("data")

  def cache(kind: String): Path = build.resolve(kind)

  /** The JARs of `kotlin`, the compiler with all it needs, or of `jmh`, with its generator and ecj. */
  def jars(tool: String): Vector[Path] = part(tool)(list => Option(list.get(tool)).map(paths))

  def scalac(version: String): Option[Scalac] = awaited(s"scalac $version") { list =>
    entries(list, "scalac").collectFirst { case (found, jars) if s"$found.".startsWith(s"$version.") => Scalac(found, paths(jars)) }
  }

  /** The one of the Scala that the kernel runs on. */
  def ownScalac: Scalac = {
    val version = Properties.versionNumberString
    scalac(version).getOrElse(throw absent(s"scalac $version"))
  }

  /** Those that are there by now. */
  def scalacs: Seq[String] = entries(list, "scalac").map(_._1).sorted

  /** Scala's library, by version. */
  def libraries: Map[String, Path] = part("libraries")(list => field(list, "libraries").map(_ => files(list, "libraries")))

  /** The older Java runtimes by number; none if set-up hasn't brought them. */
  def jdks: Map[Int, Path] =
    awaited("jdks")(list => field(list, "jdks").map(_ => files(list, "jdks"))).getOrElse(Map.empty).map { case (number, home) =>
      number.toInt -> home
    }

  /** The real systems (a server, a load generator) that pages run in JVMs of their own, as `kernels/build.json` has them. */
  def systems: Seq[String] = entries(read(home.resolve("kernels").resolve("build.json")), "systems").map(_._1).sorted

  /** The JARs of the system `name`, one of [[systems]]. */
  def system(name: String): Vector[Path] = part(name)(list => field(list, "systems").flatMap(all => Option(all.get(name))).map(paths))

  /** The folder above PostgreSQL's `bin`; `None` where set-up could not bring it: there is none for this platform. */
  def postgres: Option[Path] =
    part("postgres")(list => field(list, "postgres").map(_ => files(list, "postgres"))).get("home")

  /** What a set-up is doing in the background; `None` if none is under way. */
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
      // Asked before the list is read: what a set-up brings last stands there before it says that it has ended.
      val doing = underWay
      (look(list), doing) match {
        case (None, Some(doing)) =>
          line.say(s"this cell waits for the set-up's part `$name`, ${line.time}: $doing")
          Thread.sleep(pauseMillis)
          next(waited = true)
        case (found, _) =>
          if (waited) line.say(s"`$name` is ${if (found.isEmpty) "not to be had" else "there"}, ${line.time}")
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

  /** The folder with the lab's sources; `None` outside a course kernel. */
  def sources: Option[Path] = find.map(_.home.resolve("kernels").resolve("lab").resolve("src"))

  /** Where what this reader measured is kept: what `COURSE_RESULTS` names, else `data/results`; `None` outside a course kernel, unless it is
    * named.
    */
  private[lab] def results: Option[Path] =
    sys.env.get("COURSE_RESULTS").filter(_.nonEmpty).map(Path.of(_)).orElse(find.map(_.data.resolve("results")))

  private val pauseMillis = 500L

  /** What to do about a part that isn't there. */
  private[lab] val remedy = "Run `kernels/course setup`, which brings it; then run this cell again."

  /** That of this kernel's course.
    *
    * @param what for which it is asked
    * @throws java.lang.IllegalStateException outside a course kernel, with a word on `what`
    */
  private[lab] def here(what: String): Installation = find.getOrElse(throw new IllegalStateException(Tools.ofTheCourse(what)))

  /** What compiles cells in this kernel, whether it is the course's or another.
    *
    * @throws java.lang.IllegalStateException in a JVM that is neither the course's nor has the lab from its artifact
    */
  private[lab] def tools: Tools = find.getOrElse(DownloadedTools.here)

  /** Likewise; `None` outside a course kernel. */
  private[lab] def find: Option[Installation] = sys.props.get("course.home").map(home => new Installation(Path.of(home)))

  /** @param written when it said so: a process that began later is another one with its number */
  private final case class State(process: Long, written: Instant, doing: String, failed: String) {
    def lives: Boolean = failed.isEmpty && {
      val handle = ProcessHandle.of(process)
      // One that was killed stays in the system's list as long as its parent hasn't asked for it: without a command.
      handle.isPresent && handle.get.isAlive && handle.get.info.command.isPresent && !handle.get.info.startInstant
        .filter(_.minusSeconds(1).isAfter(written))
        .isPresent
    }
  }

  private def writtenAt(file: Path): Instant =
    try Files.readAttributes(file, classOf[BasicFileAttributes]).lastModifiedTime.toInstant
    catch { case _: NoSuchFileException => Instant.MAX }

  /** Empty where there is no such file. */
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

  /** Those of a list by name that are there. */
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

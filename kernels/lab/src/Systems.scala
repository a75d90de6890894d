package lab

import java.nio.file.{Files, Path}

import com.google.gson.JsonParser

import scala.jdk.CollectionConverters._

/** The real systems (a server, a load generator) that pages run in JVMs of their own: which JARs each consists of. Set-up has fetched them, as
  * `kernels/build.json` names and `kernels/locks/jars.json` locks them; none is on the kernel's own class path.
  */
object Systems {

  /** The names that `%%program --with` knows. */
  def names: Seq[String] = all.keys.toSeq.sorted

  /** The JARs of the system `name`.
    *
    * @throws java.lang.IllegalArgumentException if there is no such system, with those that there are
    * @throws java.lang.IllegalStateException outside a course kernel, or before set-up
    */
  private[lab] def jars(name: String): Vector[Path] = {
    val found =
      all.getOrElse(name, throw new IllegalArgumentException(s"there is no system '$name' here; there are ${names.mkString(", ")}"))
    found.find(!Files.isRegularFile(_)).foreach(jar => throw missing(s"$jar is gone"))
    found
  }

  private def all: Map[String, Vector[Path]] = {
    val home = sys.props.getOrElse("course.home", throw missing("the property course.home isn't set: this is no kernel of the course"))
    val list = Path.of(home).resolve(".build").resolve("systems.json")
    if (!Files.isRegularFile(list)) throw missing(s"$list isn't there")
    val json = JsonParser.parseString(Files.readString(list)).getAsJsonObject
    json.entrySet.asScala
      .map(entry => entry.getKey -> entry.getValue.getAsJsonArray.asScala.map(jar => Path.of(jar.getAsString)).toVector)
      .toMap
  }

  private def missing(what: String): IllegalStateException =
    new IllegalStateException(s"the real systems can't be found: $what. Run `kernels/course setup`, then restart the kernel.")
}

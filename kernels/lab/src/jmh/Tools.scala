package lab
package jmh

import java.nio.file.{Files, Path}

import com.google.gson.{JsonArray, JsonObject, JsonParser}

import scala.jdk.CollectionConverters._

/** What set-up put there for benchmarks.
  *
  * @param jmh    JMH with its generator, and ecj
  * @param scalac each Scala version's compiler with its library
  * @param jdks   each Java runtime by its number
  * @param home   the repository
  */
private[lab] final case class Tools(jmh: Vector[Path], scalac: Map[String, Vector[Path]], jdks: Map[Int, Path], home: Path) {

  /** The version that `wish` names, in full (2.12.20) or by its beginning (2.12).
    *
    * @throws lab.jmh.BenchmarkRefused if there is none
    */
  def scalaVersion(wish: String): String =
    scalac.keys.find(version => version == wish || version.startsWith(s"$wish.")).getOrElse {
      throw new BenchmarkRefused(s"%%jmh: --scala $wish: not here; there are ${scalac.keys.toSeq.sorted.mkString(" and ")}")
    }

  /** Scala's library of that version. */
  def library(version: String): Path = scalac(version).find(_.getFileName.toString.startsWith("scala-library")).getOrElse {
    throw new IllegalStateException(s"no library beside the Scala compiler $version; run `kernels/course setup`")
  }

  /** Where compiled benchmarks are kept. */
  def cache: Path = home.resolve(".build").resolve("jmh")
}

private[lab] object Tools {

  /** @throws java.lang.IllegalStateException outside a course kernel, or before set-up
    */
  def find(): Tools = {
    val home =
      Path.of(sys.props.getOrElse("course.home", throw missing("the property course.home isn't set: this is no kernel of the course")))
    val list = home.resolve(".build").resolve("benchmark-tools.json")
    if (!Files.isRegularFile(list)) throw missing(s"$list isn't there")
    val json = JsonParser.parseString(Files.readString(list)).getAsJsonObject
    val tools = Tools(
      paths(json.getAsJsonArray("jmh")),
      entries(json, "scalac").map { case (version, jars) => version -> paths(jars.getAsJsonArray) },
      entries(json, "jdks")
        .map { case (number, path) => number.toInt -> Path.of(path.getAsString) }
        .filter(jdk => Files.isDirectory(jdk._2)),
      home
    )
    (tools.jmh ++ tools.scalac.values.flatten).find(!Files.isRegularFile(_)).foreach(jar => throw missing(s"$jar is gone"))
    tools
  }

  private def entries(json: JsonObject, name: String) =
    json.getAsJsonObject(name).entrySet.asScala.map(entry => entry.getKey -> entry.getValue).toMap
  private def paths(array: JsonArray): Vector[Path] = array.asScala.map(entry => Path.of(entry.getAsString)).toVector

  private def missing(what: String): IllegalStateException =
    new IllegalStateException(s"%%jmh finds no tools: $what. Run `kernels/course setup`, then restart the kernel.")
}

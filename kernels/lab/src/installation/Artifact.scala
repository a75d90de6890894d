package lab.installation

import java.io.InputStreamReader
import java.nio.charset.StandardCharsets.UTF_8

import com.google.gson.{JsonArray, JsonParser}

import scala.jdk.CollectionConverters._
import scala.util.Using

/** Describes the lab as a JAR by itself, and what it has to download to compile cells. `kernels/course library` writes the description into
  * that JAR, from `kernels/build.json`.
  *
  * @param scala the Scala versions that a word such as 2.12 means
  * @param tools the modules of each tool, as `group:artifact:version`
  */
private[lab] final case class Artifact(group: String, version: String, scala: Vector[String], tools: Map[String, Vector[String]])

private[lab] object Artifact {

  /** Reads the description from the lab's JAR; `None` in the course's own kernels, where the lab has none. */
  def here: Option[Artifact] = Option(getClass.getResourceAsStream("/lab/artifact.json")).map { stream =>
    Using.resource(new InputStreamReader(stream, UTF_8)) { reader =>
      val json = JsonParser.parseReader(reader).getAsJsonObject
      def words(array: JsonArray): Vector[String] = array.asScala.map(_.getAsString).toVector
      Artifact(
        json.get("group").getAsString,
        json.get("version").getAsString,
        words(json.getAsJsonArray("scala")),
        json.getAsJsonObject("tools").entrySet.asScala.map(tool => tool.getKey -> words(tool.getValue.getAsJsonArray)).toMap
      )
    }
  }
}

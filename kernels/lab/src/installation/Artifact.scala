package lab.installation

import java.io.InputStreamReader
import java.nio.charset.StandardCharsets.UTF_8

import com.google.gson.{JsonArray, JsonParser}

import scala.jdk.CollectionConverters._
import scala.util.Using

/** The lab as a JAR by itself, and what that one has to download to compile cells: `kernels/course library` writes it into that JAR, from
  * `kernels/build.json`.
  *
  * @param scala the Scala versions that a word such as 2.12 stands for
  * @param tools the modules of each tool, as `group:artifact:version`
  */
private[lab] final case class Artifact(group: String, version: String, scala: Vector[String], tools: Map[String, Vector[String]])

private[lab] object Artifact {

  /** `None` in the course's own kernels, which have the lab without it. */
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

package lab

import java.nio.file.{Files, Path}

import com.google.gson.JsonParser

import scala.jdk.CollectionConverters._

/** The Scala libraries that set-up put beside this one, by version: for the cells that compare versions in a [[Fork]]. */
object ScalaLibraries {

  /** @throws java.lang.IllegalStateException if set-up hasn't provided that version
    */
  def apply(version: String): Path = available.getOrElse(
    version,
    throw new IllegalStateException(
      s"Scala library $version isn't here (found: ${if (available.isEmpty) "none" else available.keys.toSeq.sorted.mkString(", ")}). " +
        "Run `kernels/course setup`, then restart the kernel."
    )
  )

  /** Every version that is there; empty outside a course kernel. */
  def available: Map[String, Path] =
    sys.props.get("course.home").map(Path.of(_, ".build", "scala-libraries.json")).filter(Files.isRegularFile(_)) match {
      case None => Map.empty
      case Some(list) =>
        val jars = JsonParser.parseString(Files.readString(list)).getAsJsonObject
        jars.entrySet.asScala
          .map(entry => entry.getKey -> Path.of(entry.getValue.getAsString))
          .filter(jar => Files.isRegularFile(jar._2))
          .toMap
    }
}

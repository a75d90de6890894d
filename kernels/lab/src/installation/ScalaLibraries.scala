package lab.installation

import java.nio.file.Path

/** Finds the Scala libraries that set-up brought, by version, for cells that compare versions in a [[lab.process.Fork]]. */
object ScalaLibraries {

  /** @throws java.lang.IllegalStateException if set-up hasn't provided that version */
  def apply(version: String): Path = available.getOrElse(
    version,
    throw new IllegalStateException(
      if (Installation.find.isEmpty) Tools.ofTheCourse(s"Scala library $version")
      else
        s"Scala library $version isn't here (found: ${if (available.isEmpty) "none" else available.keys.toSeq.sorted.mkString(", ")}). " +
          Installation.remedy
    )
  )

  /** Returns every version that is there; none outside a course kernel. */
  def available: Map[String, Path] = Installation.find.fold(Map.empty[String, Path])(_.libraries)
}

package lab.installation

import java.nio.file.Path

/** The Scala libraries that set-up put beside this one, by version: for the cells that compare versions in a [[lab.process.Fork]]. */
object ScalaLibraries {

  /** @throws java.lang.IllegalStateException if set-up hasn't provided that version
    */
  def apply(version: String): Path = available.getOrElse(
    version,
    throw new IllegalStateException(
      if (Installation.find.isEmpty) Tools.ofTheCourse(s"Scala library $version")
      else
        s"Scala library $version isn't here (found: ${if (available.isEmpty) "none" else available.keys.toSeq.sorted.mkString(", ")}). " +
          Installation.remedy
    )
  )

  /** Every version that is there; empty outside a course kernel. */
  def available: Map[String, Path] = Installation.find.fold(Map.empty[String, Path])(_.libraries)
}

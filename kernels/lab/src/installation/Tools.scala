package lab.installation

import java.nio.file.Path

/** What it takes to compile cells and to run what came of them: set-up's in the course's kernels ([[Installation]]), else what the
  * notebook's kernel downloads ([[DownloadedTools]]).
  */
private[lab] trait Tools {

  /** The JARs of a tool with all that it needs. */
  def jars(tool: String): Vector[Path]

  /** The Scala compiler of this version; `None` if there is none to be had.
    *
    * @param version in full (2.12.20) or its beginning (2.12)
    */
  def scalac(version: String): Option[Scalac]

  /** The versions of the Scala compilers that may be asked for. */
  def scalacs: Seq[String]

  /** Where the cells of one kind keep what was compiled of them. */
  def cache(kind: String): Path

  /** Why a part isn't there, where that is known. */
  def failure: Option[String]
}

private[lab] object Tools {

  /** A word on what only the course has: why it isn't here, and what to do. */
  def ofTheCourse(what: String): String =
    s"$what belongs to the course that the lab comes from, and this notebook runs outside it (the system property course.home isn't set). " +
      "Use it on a page there: clone the course and run `kernels/course lab`."
}

/** A Scala compiler.
  *
  * @param jars with all it needs, Scala's library among them
  */
private[lab] final case class Scalac(version: String, jars: Vector[Path]) {

  /** Scala's library of that version.
    *
    * @throws java.lang.IllegalStateException if it isn't among the JARs
    */
  def library: Path = jars
    .find(Scalac.isLibrary)
    .getOrElse(throw new IllegalStateException(s"no library beside the Scala compiler $version, but ${jars.mkString(", ")}"))
}

private[lab] object Scalac {
  def isLibrary(jar: Path): Boolean = jar.getFileName.toString.startsWith("scala-library")
}

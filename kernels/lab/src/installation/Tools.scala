package lab.installation

import java.nio.file.Path

/** Provides what compiles cells and runs them: in the course's kernels from set-up ([[Installation]]), and in others from the notebook's
  * kernel, which downloads it ([[DownloadedTools]]).
  */
private[lab] trait Tools {

  /** Returns the JARs of a tool, with all their dependencies. */
  def jars(tool: String): Vector[Path]

  /** Returns the Scala compiler of this version; `None` if there is none.
    *
    * @param version the complete version (2.12.20) or its beginning (2.12)
    */
  def scalac(version: String): Option[Scalac]

  /** Returns the versions of the available Scala compilers. */
  def scalacs: Seq[String]

  /** Returns the folder in which cells of this kind keep their compiled code. */
  def cache(kind: String): Path

  /** Returns why a part isn't there, if that is known. */
  def failure: Option[String]
}

private[lab] object Tools {

  /** Says why something of the course isn't here, and what to do. */
  def ofTheCourse(what: String): String =
    s"$what belongs to the course that the lab comes from, and this notebook runs outside it (the system property course.home isn't set). " +
      "Use it on a page there: clone the course and run `kernels/course lab`."
}

/** A Scala compiler.
  *
  * @param jars the compiler with its dependencies, Scala's library among them
  */
private[lab] final case class Scalac(version: String, jars: Vector[Path]) {

  /** The compiler's main class. */
  def main: String = if (is3) "dotty.tools.dotc.Main" else "scala.tools.nsc.Main"

  /** Options for errors without colours. */
  def plain: Seq[String] = if (is3) Seq("-color:never") else Nil

  private def is3 = version.startsWith("3.")

  /** Returns Scala's library of that version. Scala 3 has two JARs, its own and that of Scala 2.13.
    *
    * @throws java.lang.IllegalStateException if it isn't among the JARs
    */
  def library: Vector[Path] = {
    val found = jars.filter(Scalac.isLibrary)
    if (found.isEmpty) throw new IllegalStateException(s"no library with the Scala compiler $version, only ${jars.mkString(", ")}")
    found
  }
}

private[lab] object Scalac {
  def isLibrary(jar: Path): Boolean = jar.getFileName.toString.matches("scala3?-library.*")
}

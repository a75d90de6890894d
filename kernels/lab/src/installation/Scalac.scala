package lab

import java.nio.file.Path

/** A Scala compiler that set-up has brought.
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
    .getOrElse(throw new IllegalStateException(s"no library beside the Scala compiler $version. ${Installation.remedy}"))
}

private[lab] object Scalac {
  def isLibrary(jar: Path): Boolean = jar.getFileName.toString.startsWith("scala-library")
}

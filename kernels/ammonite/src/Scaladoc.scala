package ammonite.course

import scala.util.Try

/** The Scaladoc of the course's own library, read from its sources, which every reader has. */
object Scaladoc {

  /** The comment in front of the definition of `fullName` (`lab.Trace.wrap`), without its stars. */
  def of(fullName: String, home: Option[String] = sys.props.get("course.home")): Option[String] =
    for {
      root <- home
      name = fullName.split('.').last
      owners = fullName.split('.').dropRight(1).reverse
      if fullName.startsWith("lab.")
      folder = os.Path(root) / "kernels" / "lab" / "src"
      files <- Try(os.list(folder).filter(_.ext == "scala")).toOption
      // The file is named after the idea, so that of the definition's owner comes first.
      ordered = files.sortBy(file => !(file.baseName == name || owners.contains(file.baseName)))
      comment <- ordered.iterator.flatMap(file => before(os.read(file), name)).nextOption()
    } yield comment

  private[course] def before(source: String, name: String): Option[String] = {
    val definition =
      s"""/\\*\\*((?:[^*]|\\*(?!/))*)\\*/\\s*(?:(?:final|sealed|abstract|implicit|lazy|override|case)\\s+)*(?:def|val|var|class|object|trait|type)\\s+${java.util.regex.Pattern
          .quote(name)}\\b""".r
    definition.findFirstMatchIn(source).map(_.group(1).linesIterator.map(_.trim.stripPrefix("*").trim).mkString("\n").trim)
  }
}

package ammonite.course

import java.util.regex.Pattern

/** The text of documentation comments. */
object Scaladoc {

  /** A comment without its stars, and without the sign that keeps a `$` from naming a variable. */
  def text(raw: String): String =
    raw
      .stripPrefix("/**")
      .stripSuffix("*/")
      .linesIterator
      .map(_.replaceFirst("^\\s*\\*? ?", "").stripTrailing)
      .mkString("\n")
      .replace("\\$", "$")
      .trim

  /** What the text says of a parameter, in one line. */
  def parameter(text: String, name: String): Option[String] =
    s"(?ms)^\\s*@param\\s+${Pattern.quote(name)}\\s+(.*?)(?=^\\s*@|\\z)".r
      .findFirstMatchIn(text)
      .map(_.group(1).trim.replaceAll("\\s+", " "))
}

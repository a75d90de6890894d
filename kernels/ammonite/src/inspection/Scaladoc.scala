package ammonite.course

import java.util.regex.Pattern

/** Extracts the text of documentation comments. */
object Scaladoc {

  /** Returns a comment without its asterisks, and without the backslash that keeps a `$` from naming a variable. */
  def text(raw: String): String =
    raw
      .stripPrefix("/**")
      .stripSuffix("*/")
      .linesIterator
      .map(_.replaceFirst("^\\s*\\*? ?", "").stripTrailing)
      .mkString("\n")
      .replace("\\$", "$")
      .trim

  /** Returns what the text says about a parameter, in one line. */
  def parameter(text: String, name: String): Option[String] =
    s"(?ms)^\\s*@param\\s+${Pattern.quote(name)}\\s+(.*?)(?=^\\s*@|\\z)".r
      .findFirstMatchIn(text)
      .map(_.group(1).trim.replaceAll("\\s+", " "))
}

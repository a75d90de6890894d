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

  /** Renders a comment's text for a reader: code is indented, tags become words, and links and emphasis lose their marks. */
  def shown(text: String): String = {
    val words = Seq(
      """\[\[[^\s\]]+\s+([^\]]+)\]\]""" -> "$1",
      """\[\[(?:[\w.]*\.)?([\w#]+)\]\]""" -> "$1",
      "''+" -> "",
      """(?m)^@t?param\s+(\S+)\s+""" -> "`$1`: ",
      """(?m)^@throws\s+(?:[\w.]*\.)?(\w+)\s+""" -> "Throws `$1` ",
      """(?m)^@return\s+""" -> "Returns "
    )
    def prose(part: String) = words.foldLeft(part) { case (now, (mark, word)) => now.replaceAll(mark, word) }
    def indented(code: String) = code.linesIterator.map(line => if (line.isEmpty) line else s"  $line").mkString("\n")
    val code = """(?s)\{\{\{\n?(.*?)\n?[ ]*\}\}\}""".r
    val examples = code.findAllMatchIn(text).map(found => indented(found.group(1))).toSeq
    code.split(text).map(prose).toSeq.zipAll(examples, "", "").map { case (before, example) => before + example }.mkString
  }

  /** Returns what the text says about a parameter, in one line. */
  def parameter(text: String, name: String): Option[String] =
    s"(?ms)^\\s*@param\\s+${Pattern.quote(name)}\\s+(.*?)(?=^\\s*@|\\z)".r
      .findFirstMatchIn(text)
      .map(_.group(1).trim.replaceAll("\\s+", " "))
}

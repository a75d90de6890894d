package lab.show

/** For the contents of elements; Plotly's own labels understand the same three. */
private[lab] object Markup {

  def escape(text: String): String = text.flatMap {
    case '&'   => "&amp;"
    case '<'   => "&lt;"
    case '>'   => "&gt;"
    case other => other.toString
  }

  /** Escaped, with `code` where the text has backticks, and with links to pages of the course: `[07 · How many?](07-pool-sizing.ipynb)`. */
  def inline(text: String): String =
    escape(text)
      .split("`", -1)
      .zipWithIndex
      .map { case (part, index) => if (index % 2 == 1) s"<code>$part</code>" else links.replaceAllIn(part, "<a href=\"$2\">$1</a>") }
      .mkString

  private[lab] val links = "\\[([^\\]]+)\\]\\((\\d\\d-[\\w-]+\\.ipynb(?:#[\\w=-]+)?)\\)".r

  /** The classes of an element in which `$` begins no formula: names that Scala's compiler makes have many. */
  val noMath = "mathjax_ignore tex2jax_ignore"
}

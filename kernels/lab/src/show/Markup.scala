package lab.show

/** Escapes and marks up the contents of elements. Plotly's own labels understand the same three escapes. */
private[lab] object Markup {

  def escape(text: String): String = text.flatMap {
    case '&'   => "&amp;"
    case '<'   => "&lt;"
    case '>'   => "&gt;"
    case other => other.toString
  }

  /** Escapes `text`, and renders backticks as `code` and links to pages of the course, such as `[07 · How many?](07-pool-sizing.ipynb)`, as
    * links.
    */
  def inline(text: String): String =
    escape(text)
      .split("`", -1)
      .zipWithIndex
      .map { case (part, index) => if (index % 2 == 1) s"<code>$part</code>" else links.replaceAllIn(part, "<a href=\"$2\">$1</a>") }
      .mkString

  private[lab] val links = "\\[([^\\]]+)\\]\\((\\d\\d-[\\w-]+\\.ipynb(?:#[\\w=-]+)?)\\)".r

  /** The classes of an element in which `$` begins no formula. Names that Scala's compiler makes hold many such signs. */
  val noMath = "mathjax_ignore tex2jax_ignore"
}

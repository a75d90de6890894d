package lab

/** For the contents of elements; Plotly's own labels understand the same three. */
private[lab] object Markup {

  def escape(text: String): String = text.flatMap {
    case '&'   => "&amp;"
    case '<'   => "&lt;"
    case '>'   => "&gt;"
    case other => other.toString
  }
}

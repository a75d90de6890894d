package lab.show

/** A small table for people: HTML with a caption and header cells for a screen or a screen reader, aligned columns as plain text. Text
  * between backticks is rendered as code.
  *
  * @param caption the text above the table
  * @param header  the columns' names
  * @param rows    the cells; each row has as many as the header, and columns of numbers are aligned to the right
  * @throws java.lang.IllegalArgumentException if a row has more or fewer cells than the header
  */
final case class Table(caption: String, header: Seq[String], rows: Seq[Seq[String]]) {
  rows.find(_.size != header.size).foreach { row =>
    throw new IllegalArgumentException(
      s"a row of the table '$caption' has ${row.size} cells where the header has ${header.size}: ${row.mkString(" | ")}"
    )
  }

  /** Shows the table under the running cell. */
  def show(): Unit = Display.show(bundle)

  private[lab] def bundle: Map[String, String] = Map("text/plain" -> plain, "text/html" -> html)

  /** Renders the table as text, with padded columns; columns of numbers are aligned to the right. */
  def plain: String = (caption +: Table.align(header, rows)).mkString("\n")

  /** Renders the table as an HTML element, with the caption in it. */
  def html: String = {
    val numeric = header.indices.map(column => Table.isNumeric(rows.map(_(column))))
    def cells(row: Seq[String], tag: Int => String): String = row
      .zip(numeric)
      .zipWithIndex
      .map { case ((cell, number), column) =>
        s"<${tag(column)} style=\"text-align:${if (number) "right" else "left"}\">${Markup.inline(cell)}</${tag(column).takeWhile(_ != ' ')}>"
      }
      .mkString
    val head = cells(header, column => if (header(column).isEmpty) "td" else "th scope=\"col\"") // a cell without a name is no header cell
    val body = rows.map(row => s"<tr>${cells(row, column => if (column == 0) "th scope=\"row\"" else "td")}</tr>").mkString("\n")
    val title = s"<caption style=\"${Table.above}\"><span style=\"${Table.oneLineOrMore}\">${Markup.inline(caption)}</span></caption>"
    s"<table class=\"${Markup.noMath}\">$title<thead><tr>$head</tr></thead><tbody>\n$body\n</tbody></table>"
  }

  override def toString: String = plain
}

object Table {
  private[lab] val above = "caption-side:top;text-align:left;font-weight:bold;padding:4px 0"

  /** The style of a caption: it may be wider than a narrow table, but no wider than the page's text. */
  private val oneLineOrMore = "display:inline-block;width:max-content;max-width:56em;white-space:normal"

  private[show] def align(header: Seq[String], rows: Seq[Seq[String]]): Seq[String] = {
    val columns = header.indices.map { column =>
      val cells = rows.map(_(column))
      val width = (header(column) +: cells).map(_.length).max
      (header(column) +: cells).map(cell => if (isNumeric(cells)) " " * (width - cell.length) + cell else cell.padTo(width, ' '))
    }
    (0 to rows.size).map(row => ("  " + columns.map(_(row)).mkString("  ")).reverse.dropWhile(_ == ' ').reverse)
  }

  private def isNumeric(cells: Seq[String]): Boolean =
    cells.exists(_.nonEmpty) && cells.forall(cell =>
      cell.isEmpty || cell == "–" || cell.headOption.exists(c => c.isDigit || c == '-' || c == '±')
    )
}

package lab.page

import lab.show.{Display, Markup, Table}

/** The ledger's rows as an HTML table and as text. Long texts are folded, and no script is needed to open them. */
private[page] object LedgerTable {

  def show(caption: String, rows: Seq[LedgerRow]): Unit =
    Display.show(Map("text/plain" -> plain(caption, rows), "text/html" -> html(caption, rows)))

  def plain(caption: String, rows: Seq[LedgerRow]): String = (caption +: rows.map(_.panel.plain)).mkString("\n")

  def html(caption: String, rows: Seq[LedgerRow]): String = {
    // As wide as the page, whatever long name a cell holds; and no column so narrow that a line has one word.
    val columns = Seq("claim" -> 6, "as tried" -> 17, "published" -> 18, "measured" -> 20, "verdict" -> 15, "why" -> 24)
    val head = columns.map { case (name, percent) => s"<th scope=\"col\" style=\"$cell;width:$percent%\">$name</th>" }.mkString
    val layout = "table-layout:fixed;width:100%;min-width:52em"
    val title = s"<caption style=\"${Table.above}\">${Markup.inline(caption)}</caption>"
    s"<table class=\"${Markup.noMath}\" style=\"$layout\">$title<thead><tr>$head</tr></thead><tbody>\n${rows.map(line).mkString("\n")}\n</tbody></table>"
  }

  private def line(row: LedgerRow): String = {
    val (mark, kind) = (row.mark, row.kind.name)
    val verdict = s"<span aria-hidden=\"true\" style=\"color:${mark.color};font-weight:bold\">${mark.sign}</span> " +
      s"<strong>${Markup.inline(row.verdict)}</strong>"
    val cells = Seq(
      s"${Markup.inline(row.statement.shown)}<br><span style=\"$small\">$kind</span>" +
        row.statement.howItFails.map { case (name, said) => s"<div style=\"$small\">${folded(s"$name: $said")}</div>" }.mkString,
      folded(row.statement.published),
      folded(row.measured) + after(row.where),
      verdict + (if (row.because.isEmpty) "" else s": ${folded(row.because)}") +
        after(if (row.beside.isEmpty) "" else s"recorded: ${row.beside}"),
      Seq(Markup.inline(row.why), row.place.fold("")(place => Markup.inline(place.link))).filter(_.nonEmpty).mkString("<br>")
    )
    s"<tr><th scope=\"row\" style=\"$cell\">${row.claim.id}</th>${cells.map(text => s"<td style=\"$cell\">$text</td>").mkString}</tr>"
  }

  private def after(where: String): String =
    if (where.isEmpty) "" else s"<br><span style=\"$small\">${Markup.inline(where)}</span>"

  /** Folds a long text: its beginning, up to the end of a word, opens the rest. */
  private[page] def folded(text: String): String =
    if (text.length <= most) Markup.inline(text)
    else {
      val beginning = text.take(most)
      val cut = if (beginning.count(_ == '`') % 2 == 1) beginning.lastIndexOf('`') else beginning.lastIndexOf(' ')
      val shown = text.take(if (cut > most / 2) cut else most).trim
      s"<details><summary style=\"cursor:pointer\">${Markup.inline(shown)} …</summary>${Markup.inline("…" + text.drop(shown.length))}</details>"
    }

  private val most = 150
  private val cell = "text-align:left;vertical-align:top;overflow-wrap:break-word"
  private val small = "opacity:.75;font-size:90%"
}

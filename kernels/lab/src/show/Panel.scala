package lab.show

/** A few lines with a coloured edge, in which the page speaks to its reader: a verdict, a prediction, the result of an exercise. The mark
  * and the words carry the meaning, and the colour only repeats it.
  *
  * @param mark  one character before the title
  * @param facts name and value, each value one or several lines; text between backticks is rendered as code
  */
private[lab] final case class Panel(
    mark: Panel.Mark,
    title: String,
    lead: String = "",
    facts: Seq[(String, String)] = Nil,
    note: String = ""
) {

  def show(): Unit = Display.show(bundle)

  def bundle: Map[String, String] = Map("text/plain" -> plain, "text/html" -> html)

  def plain: String = {
    val width = facts.map(_._1.length).maxOption.getOrElse(0)
    val head = s"${mark.sign} $title${if (lead.isEmpty) "" else s": $lead"}"
    val lines = facts.map { case (name, value) => s"  ${name.padTo(width, ' ')}  ${value.replace("\n", "\n" + " " * (width + 4))}" }
    (head +: lines :++ Option(note).filter(_.nonEmpty).map("  " + _.replace("\n", "\n  "))).mkString("\n")
  }

  def html: String = {
    val rows = facts.map { case (name, value) =>
      s"<span style=\"opacity:.75\">${Markup.inline(name)}</span><span>${Markup.inline(value).replace("\n", "<br>")}</span>"
    }
    val grid =
      if (rows.isEmpty) ""
      else s"<div style=\"${Panel.Columns}\">${rows.mkString("\n")}</div>"
    val says = if (lead.isEmpty) "" else s"${if (title.endsWith("?")) "" else ":"} <span>${Markup.inline(lead)}</span>"
    val below = if (note.isEmpty) "" else s"<div>${Markup.inline(note).replace("\n", "<br>")}</div>"
    s"""<div class="${Markup.noMath}" role="group" aria-label="${Panel.attribute(
        title
      )}" style="border-left:5px solid ${mark.color};padding:2px 0 2px 12px;margin:6px 0;max-width:64em;line-height:1.5">
       |<div><span aria-hidden="true" style="color:${mark.color};font-weight:bold">${mark.sign}</span> <strong>${Markup.inline(
        title
      )}</strong>$says</div>
       |$grid$below
       |</div>""".stripMargin
  }
}

private[lab] object Panel {

  /** A mark's sign and colour. The colours are those of [[Look]]; each reaches 3 : 1 on white and on JupyterLab's dark background. */
  sealed abstract class Mark(val sign: String, val color: String)
  case object Good extends Mark("✓", "#009E73")
  case object Mixed extends Mark("◐", "#C08000")
  case object Bad extends Mark("✗", "#D55E00")
  case object Open extends Mark("–", "#7A7A7A")
  case object Button extends Mark("▶", "#2E86C1")
  case object Asked extends Mark("?", "#2E86C1")

  /** The columns: a long name leaves the value its half of the line, and text that is too long for its column wraps. */
  private val Columns =
    "display:grid;grid-template-columns:fit-content(45%) minmax(0,1fr);gap:0 1.2em;overflow-wrap:break-word"

  private def attribute(text: String): String = Markup.escape(text).replace("\"", "&quot;").replace("`", "")
}

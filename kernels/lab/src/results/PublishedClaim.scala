package lab.results

/** A claim of an article, in the course's words.
  *
  * @param id         its name in the course: the article's letter and a number
  * @param author     empty if the course doesn't name one
  * @param conditions versions and machine of the article as a whole, as far as it names them
  * @param text       what is claimed
  */
final case class PublishedClaim(
    id: String,
    article: String,
    author: String,
    year: Int,
    conditions: String,
    text: String
) {
  private[lab] def published(figures: Seq[PublishedFigure]): String =
    if (figures.isEmpty) s"no figure (${source(conditions)})"
    else s"${figures.mkString("; ")} (${source(figures.map(_.conditions).distinct.mkString("; "))})"

  /** Names the source briefly, as a list of sources does: "Komanov 2020, Scala 2.12". */
  private[results] def source(conditions: String): String = s"${if (author.isEmpty) article else author.split(' ').last} $year, $conditions"
}

/** A figure that an article published.
  *
  * @param claim      the id under which the course tries it
  * @param author     empty if the course doesn't name one
  * @param conditions Scala, JDK, machine and method, as far as the article names them
  * @param error      half of the interval's width, in `unit`, if the article gives one
  * @param note       how to read the value: "about", "rounded from …"
  */
final case class PublishedFigure(
    claim: String,
    article: String,
    author: String,
    year: Int,
    conditions: String,
    quantity: String,
    value: Double,
    error: Option[Double],
    unit: String,
    note: String
) {

  /** Renders the figure: "4.056 ± 0.163 µs". */
  def shown: String = s"${PublishedFigure.digits(value)}${error.fold("")(e => s" ± ${PublishedFigure.digits(e)}")} $unit"

  /** Describes in one line where the figure appears and under which conditions it was measured. */
  def source: String = s"${if (author.isEmpty) "" else s"$author, "}“$article”, $year ($conditions)"

  override def toString: String = s"$quantity: $shown" + (if (note.isEmpty) "" else s" ($note)")
}

private object PublishedFigure {
  def digits(value: Double): String = java.math.BigDecimal.valueOf(value).stripTrailingZeros.toPlainString
}

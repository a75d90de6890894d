package lab.results

/** A claim of an article, in the course's words.
  *
  * @param id         its name in the course: the article's letter and a number
  * @param author     empty where the course doesn't name one
  * @param conditions versions and machine of the article as a whole, as far as it says
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

  /** As short as in a list of sources: "Komanov 2020, Scala 2.12". */
  private[results] def source(conditions: String): String = s"${if (author.isEmpty) article else author.split(' ').last} $year, $conditions"
}

/** A figure that an article published.
  *
  * @param claim      the id under which the course tries it
  * @param author     empty where the course doesn't name one
  * @param conditions Scala, JDK, machine and method, as far as the article says
  * @param error      half-width of the interval, in `unit`, where the article gives one
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

  /** "4.056 ± 0.163 µs". */
  def shown: String = s"${PublishedFigure.digits(value)}${error.fold("")(e => s" ± ${PublishedFigure.digits(e)}")} $unit"

  /** Where it stands and under which conditions it was taken, in one line. */
  def source: String = s"${if (author.isEmpty) "" else s"$author, "}“$article”, $year ($conditions)"

  override def toString: String = s"$quantity: $shown" + (if (note.isEmpty) "" else s" ($note)")
}

private object PublishedFigure {
  def digits(value: Double): String = java.math.BigDecimal.valueOf(value).stripTrailingZeros.toPlainString
}

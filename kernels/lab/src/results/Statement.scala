package lab.results

/** One thing that an article says, which is true or false by itself: a claim has one or more of them. All that is known of it beforehand
  * stands in `data/published/statements.csv`.
  *
  * @param id         the claim's name, a dot, and a word of its own: `B3.fixed-pool`
  * @param kind       what it speaks of
  * @param weaker     in what it says less than the article does; `yes` where that needs no words, `own` where the article doesn't say it
  *                   at all, empty where it says the same
  * @param heading    the heading in the article under which it stands
  * @param paragraph  the paragraph under that heading
  * @param figures    what was published for it
  * @param falseWhere the setting in which it would be false; empty where none was thought of yet
  * @param text       the statement, in the course's words
  */
final case class Statement(
    id: String,
    claim: PublishedClaim,
    kind: Kind,
    weaker: String,
    heading: String,
    paragraph: String,
    figures: Vector[PublishedFigure],
    falseWhere: String,
    text: String
) {

  /** The letter of the article. */
  def article: String = claim.id.take(1)

  /** The text, and in what it says less than the article. */
  def shown: String = weaker match {
    case ""    => text
    case "yes" => s"$text (narrower than the article's)"
    case "own" => s"$text (the course's own addition)"
    case how   => s"$text (narrower: $how)"
  }

  /** What was published for it, and where: its figures with their conditions, or that there is none. */
  def published: String = claim.published(figures)

  override def toString: String = s"$id: $shown"
}

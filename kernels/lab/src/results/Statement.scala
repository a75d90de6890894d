package lab.results

/** One thing that an article says, which is true or false by itself. Each claim has at least one. Everything known about it in advance is
  * in `data/published/statements.csv`.
  *
  * @param id             the claim's name, a dot, and a word for the statement: `B3.fixed-pool`
  * @param kind           the kind of claim that it makes
  * @param weaker         how it says less than the article does; `yes` if that needs no words, `own` if the article doesn't say it at all,
  *                       empty if it says the same
  * @param heading        the heading in the article under which it appears
  * @param paragraph      the paragraph under that heading
  * @param figures        what was published for it
  * @param falseWhere     the setting in which it would come out false, if it is false; may be empty if it is true by construction
  * @param byConstruction why its page's set-up decides the verdict; empty if it could have failed
  * @param text           the statement, in the course's words
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
    byConstruction: String,
    text: String
) {

  /** Returns the letter of the article. */
  def article: String = claim.id.take(1)

  /** Returns the text, and how it says less than the article. */
  def shown: String = weaker match {
    case ""    => text
    case "yes" => s"$text (weaker than the article's)"
    case "own" => s"$text (the course's own addition)"
    case how   => s"$text (weaker: $how)"
  }

  /** Returns whether the statement counts: it says what the article says, and it could have failed. */
  def counts: Boolean = weaker.isEmpty && byConstruction.isEmpty

  /** Returns what a panel shows about how the statement could have failed. */
  private[lab] def howItFails: Seq[(String, String)] = Seq(
    "would be false where" -> falseWhere,
    "by construction" -> (if (byConstruction.isEmpty) "" else s"the set-up decides the verdict here, so it doesn't count: $byConstruction")
  ).filter(_._2.nonEmpty)

  /** Describes what was published for the statement, and where: its figures with their conditions, or that there is none. */
  def published: String = claim.published(figures)

  override def toString: String = s"$id: $shown"
}

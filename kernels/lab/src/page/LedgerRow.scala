package lab.page

import lab.measure.Estimate
import lab.results.{Kind, Measurement, PublishedClaim, RecordedVerdict, Statement}
import lab.show.Panel

/** A statement and its result.
  *
  * @param verdict      the verdict's name; see [[Verdict]]
  * @param because      what the page says about the verdict, or why there is none
  * @param measurements what was measured
  * @param where        on which machine it was measured, and when
  * @param here         whether this reader measured it
  * @param recorded     what the course's own recorded runs came to
  * @param place        where a page tries it; `None` if no page does
  */
final case class LedgerRow(
    statement: Statement,
    verdict: String,
    because: String,
    measurements: Vector[Measurement],
    where: String,
    here: Boolean,
    recorded: Option[RecordedVerdict],
    place: Option[ClaimPlace]
) {

  /** Returns the claim that the statement belongs to. */
  def claim: PublishedClaim = statement.claim

  /** Returns the kind of claim that the statement makes. */
  def kind: Kind = statement.kind

  /** Returns whether the statement says what its article says, and could have failed. */
  def counts: Boolean = statement.counts

  /** Returns the article's letter. */
  def article: String = statement.article

  /** Finds the number that was measured under this name; `None` if none was. */
  def value(name: String): Option[Estimate] = measurements.find(_.name == name).flatMap(_.estimate)

  /** Finds the fact in words that was recorded under this name; `None` if none was. */
  def fact(name: String): Option[String] = measurements.find(_.name == name).flatMap(_.fact)

  /** Returns all measurements, in words. */
  def measured: String = Measurement.shown(measurements)

  /** Returns the number of the page that tries the statement, or a dash if no page does. */
  def page: String = place.fold("–")(_.page.take(2))

  /** Returns the page's own sentence on why it came out so. */
  def why: String = place.fold("")(_.why)

  /** Returns whether the verdict says yes, no, or what it depends on. */
  def isDecided: Boolean = !Verdict.isOpen(verdict)

  /** Returns whether `word`, in upper or lower case, appears in the statement, in where it would be false, in its verdict's reason or in
    * the page's why.
    */
  private[page] def says(word: String): Boolean =
    Seq(statement.text, statement.falseWhere, because, why).exists(_.toLowerCase.contains(word.toLowerCase))

  /** Returns whether anybody measured the statement. */
  def isMeasured: Boolean = here || recorded.nonEmpty

  /** Returns whether this reader's run came to a different verdict than the recorded ones. */
  def differs: Boolean = here && recorded.exists(_.verdict != verdict)

  /** Returns what the recorded runs came to, if nothing was decided here. */
  def beside: String =
    recorded
      .filter(was => here && was.verdict != verdict && Verdict.isOpen(verdict))
      .fold("")(was => s"${was.verdict} in ${was.share} runs; ${Measurement.shown(was.measured)}")

  override def toString: String = s"${statement.id} $verdict: ${statement.text}"

  private[page] def mark: Panel.Mark = Verdict.mark(verdict)

  private[page] def panel: Panel = {
    val facts = Seq(
      "because" -> because,
      "measured" -> measured,
      "published" -> statement.published,
      "where" -> where,
      "recorded" -> beside
    ) ++ statement.howItFails ++ Seq("why" -> why, "tried on" -> place.fold("")(_.link))
    Panel(mark, s"${claim.id} $verdict", statement.shown, facts.filter(_._2.nonEmpty))
  }
}

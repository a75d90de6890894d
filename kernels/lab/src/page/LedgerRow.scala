package lab.page

import lab.measure.Estimate
import lab.results.{Kind, Measurement, PublishedClaim, RecordedVerdict, Statement}
import lab.show.Panel

/** A statement, and what became of it.
  *
  * @param verdict      its name; see [[Verdict]]
  * @param because      what the page says to the verdict, or why there is none
  * @param measurements what came out
  * @param where        on which machine it was measured, and when
  * @param here         whether by this reader
  * @param recorded     what the course's own recorded runs came to
  * @param place        where it is tried; `None` where no page does
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

  /** The claim that the statement is a part of. */
  def claim: PublishedClaim = statement.claim

  /** What the statement speaks of. */
  def kind: Kind = statement.kind

  /** Whether the statement says what its article says, and could have failed. */
  def counts: Boolean = statement.counts

  /** Its article's letter. */
  def article: String = statement.article

  /** The number that was measured under this name; `None` if none was. */
  def value(name: String): Option[Estimate] = measurements.find(_.name == name).flatMap(_.estimate)

  /** The fact in words that was found under this name; `None` if none was. */
  def fact(name: String): Option[String] = measurements.find(_.name == name).flatMap(_.fact)

  /** All that was measured, in words. */
  def measured: String = Measurement.shown(measurements)

  /** The number of the page that tries it; a dash where none does. */
  def page: String = place.fold("–")(_.page.take(2))

  /** The page's own sentence on it. */
  def why: String = place.fold("")(_.why)

  /** Whether its verdict says yes, no, or on what it depends. */
  def isDecided: Boolean = !Verdict.isOpen(verdict)

  /** Whether this stands in the statement, in where it would be false, in the reason of its verdict or in the page's, in whatever case. */
  private[page] def says(word: String): Boolean =
    Seq(statement.text, statement.falseWhere, because, why).exists(_.toLowerCase.contains(word.toLowerCase))

  /** Whether by anybody. */
  def isMeasured: Boolean = here || recorded.nonEmpty

  /** Whether this reader's run came to another verdict than the recorded ones. */
  def differs: Boolean = here && recorded.exists(_.verdict != verdict)

  /** Where nothing was decided here: what the recorded runs came to. */
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

package lab.page

import lab.results.{Kind, PublishedClaim, RecordedVerdict}
import lab.show.Panel

/** A sentence of a claim, and what became of it.
  *
  * @param claim    what was published
  * @param sentence as a page tries it
  * @param verdict  its name; see [[Verdict]]
  * @param because  what the page says to the verdict, or why there is none
  * @param where    on which machine it was measured, and when
  * @param here     whether by this reader
  * @param recorded what the course's own recorded runs came to
  * @param place    where it is tried; `None` where no page does
  */
final case class LedgerRow(
    claim: PublishedClaim,
    sentence: String,
    kind: Kind,
    verdict: String,
    because: String,
    measured: String,
    published: String,
    where: String,
    here: Boolean,
    recorded: Option[RecordedVerdict],
    place: Option[ClaimPlace]
) {

  /** Its letter. */
  def article: String = claim.id.take(1)

  /** The number of the page that tries it; a dash where none does. */
  def page: String = place.fold("–")(_.page.take(2))

  /** The page's own sentence on it. */
  def why: String = place.fold("")(_.why)

  /** Whether by anybody. */
  def isMeasured: Boolean = here || recorded.nonEmpty

  /** Whether this reader's run came to another verdict than the recorded ones. */
  def differs: Boolean = here && recorded.exists(_.verdict != verdict)

  /** Where nothing was decided here: what the recorded runs came to. */
  def beside: String =
    recorded
      .filter(was => here && was.verdict != verdict && Verdict.isOpen(verdict))
      .fold("")(was => s"${was.verdict} in ${was.share} runs")

  override def toString: String = s"${claim.id} $verdict: $sentence"

  private[page] def mark: Panel.Mark = Verdict.mark(verdict)

  private[page] def panel: Panel = {
    val facts = Seq(
      "because" -> because,
      "measured" -> measured,
      "published" -> published,
      "where" -> where,
      "recorded" -> beside,
      "why" -> why,
      "tried on" -> place.fold("")(_.link)
    )
    Panel(mark, s"${claim.id} $verdict", sentence, facts.filter(_._2.nonEmpty))
  }
}

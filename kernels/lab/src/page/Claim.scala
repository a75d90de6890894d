package lab.page

import java.nio.file.Path
import java.util.concurrent.atomic.AtomicReference

import com.google.gson.JsonObject

import lab.installation.JsonLines
import lab.machine.Machine
import lab.measure.{Estimate, Proof, Threshold}
import lab.results.{JmhResults, Kind, OwnVerdicts, Published, PublishedFigure, RecordedVerdicts}
import lab.show.{Json, Panel, Table}

import scala.util.control.NonFatal

/** A claim of one of the articles, tried here. Each of the verbs below judges it, shows the verdict under the running cell, and writes it
  * down: among this reader's verdicts, which page 12 shows, and, under `kernels/course run`, for the ledger. To be called from the cell's
  * own thread.
  *
  * {{{
  * Claim("B3", "a fixed pool does not hear `blocking`", measured = started).must(started == 2)
  * }}}
  *
  * @param id        its name in the course, `B3` for instance; one of [[lab.results.Published.claims]]
  * @param measured  what came out here, with its unit
  * @param published what the article reports, with its conditions; as `data/published` has it, unless a part of that says it better
  * @param from      the benchmark that the figures come from: where it is recorded, panel and ledger hold the recording's machine and day
  *                  in place of this machine
  * @throws java.lang.IllegalArgumentException if the course has no claim of this id
  */
final case class Claim(
    id: String,
    sentence: String,
    measured: Any = "–",
    published: Any = Claim.AsPublished,
    from: JmhResults = JmhResults.none,
    private[page] val doubt: Option[String] = None,
    private[page] val speaksOf: Option[Kind] = None
) {
  private val source = Published.claim(id)

  private def publishedWords: String = published match {
    case Claim.AsPublished => source.published
    case figures: Seq[_]   => source.published(figures.collect { case figure: PublishedFigure => figure })
    case other             => s"$other"
  }

  /** Judges a ''structural'' claim: which thread, how many at once, in what order. Such a claim must hold on every machine.
    *
    * @throws lab.page.ClaimFailed if `check` is false, after the verdict was shown and written down
    */
  def must(check: => Boolean): Unit = {
    val verdict = about(Kind.Structure).judge(
      if (check) Verdict.Holds else Verdict.DoesNotHold("it should on every machine, with the numbers of the stored page")
    )
    if (verdict.isInstanceOf[Verdict.DoesNotHold])
      throw new ClaimFailed(
        s"$id does not hold: $sentence (measured: $measured). If you changed a cell, this is what your change does; take it back to go on " +
          "with the page. If you changed nothing, run the page from the top."
      )
  }

  /** Shows a verdict that the page reached itself; none of them fails the page. */
  def grade(verdict: => Verdict): Unit = {
    judge(verdict)
    ()
  }

  /** Judges a claim about times by a ratio that was measured with its bounds; no verdict of this kind fails a page:
    *  - ''holds'' if all of the interval points where the published ratio does, and lies within a factor `within` of it;
    *  - ''depends'' if all of it points there, but lies farther off;
    *  - ''does not hold'' if all of it says that the two are about equal, or the other way round;
    *  - ''not decided here'' if it reaches over more than one of these.
    *
    * @param words     what is divided by what: "global / single"
    * @param published the published ratio; only its direction counts where `within` is infinite
    * @param apart     from where on the two are apart
    * @throws java.lang.IllegalArgumentException if a ratio isn't above zero, or a factor less than 1
    */
  def ratio(
      words: String,
      measured: Estimate,
      published: Double,
      within: Double = 2.0,
      apart: Threshold = Threshold.aboutEqual
  ): Unit = {
    if (!(published > 0) || published.isInfinite || !(measured.value > 0) || within < 1 || apart.value < 1)
      throw new IllegalArgumentException(
        s"$id: ratios above zero and factors from 1 on are needed, not $measured, $published, $within, ${apart.value}"
      )
    def direction = s"$words ${if (published > 1) "above" else "below"} 1"
    val judged = copy(
      measured = if (this.measured == "–") s"$words $measured" else this.measured,
      published =
        if (this.published == Claim.AsPublished)
          s"${if (within.isInfinite) direction else s"$words × ${Estimate.digits(published)}"}; ${source.published}"
        else this.published
    )
    judged.about(Kind.Ratio).grade(Claim.compare(measured, published, within, apart))
  }

  /** The same claim, of another kind than `data/published` says of all that it claims: for a sentence that is a part of it. What `must` or
    * `ratio` judges needs no word: it is ''structure'' or a ''ratio''.
    */
  def about(kind: Kind): Claim = copy(speaksOf = Some(kind))

  /** The same claim, to be judged only if the instrument it rests on has proven itself; else it is ''not tried'', and says why. */
  def provided(instrument: Proof): Claim = if (instrument.passed) this else copy(doubt = Some(instrument.words))

  /** Says that the claim could not be tried here, and why; the ledger says so too. */
  def notTried(why: String): Unit = grade(Verdict.NotTried(why))

  private def judge(verdict: => Verdict): Verdict = {
    val reached =
      try doubt.fold(verdict)(Verdict.NotTried(_))
      catch {
        case NonFatal(failure) =>
          publish(Verdict.NotTried(s"the check itself failed with $failure"))
          throw failure
      }
    publish(reached)
    reached
  }

  private def publish(verdict: Verdict): Unit = {
    panel(verdict).show()
    Claim.judged.updateAndGet(_.filterNot { case (claim, _) => claim.id == id && claim.sentence == sentence } :+ (this -> verdict))
    val written = row(verdict)
    Claim.ledger.foreach(file => JsonLines.append(file)(_ => written))
    OwnVerdicts.keep(written)
  }

  /** On which machine, and when if not now. */
  private def machines: String = (Option.when(from.measuredHere)(Machine.here().toString) ++ from.recordedConditions).mkString("; ")

  /** What stands beside a claim that isn't decided or tried here: what the recorded runs of this page came to. */
  private def beside(verdict: Verdict): Option[String] = verdict match {
    case _: Verdict.Undecided | _: Verdict.NotTried => RecordedVerdicts.of(id, sentence).map(_.toString)
    case _                                          => None
  }

  private[page] def panel(verdict: Verdict): Panel = {
    val facts =
      Seq("measured" -> s"$measured", "published" -> publishedWords, (if (from.recordings.isEmpty) "here" else "where") -> machines)
    val because = Option(verdict.because).filter(_.nonEmpty).map("because" -> _).toSeq
    Panel(Verdict.mark(verdict.name), s"$id ${verdict.name}", sentence, because ++ facts ++ beside(verdict).map("recorded" -> _))
  }

  private[lab] def row(verdict: Verdict): JsonObject = {
    val conditions = (Seq(verdict.because, machines).filter(_.nonEmpty) ++ beside(verdict).map(was => s"recorded: $was")).mkString("; ")
    val kind = speaksOf.getOrElse(source.kind).name
    val judged = Seq("id" -> id, "sentence" -> sentence, "kind" -> kind, "verdict" -> verdict.name, "because" -> verdict.because)
    val figures = Seq("measured" -> s"$measured", "published" -> publishedWords, "conditions" -> conditions, "where" -> machines)
    Json.record(judged ++ figures: _*)
  }
}

object Claim {

  /** The published value is the one in `data/published`. */
  private[page] case object AsPublished

  private val judged = new AtomicReference(Vector.empty[(Claim, Verdict)])

  /** The verdicts reached in this kernel so far: what this page adds to the ledger. Of a claim judged again the latest counts. */
  def table: Table = Table(
    "What this page tried",
    Seq("claim", "sentence", "verdict"),
    judged.get.map { case (claim, verdict) =>
      Seq(claim.id, claim.sentence.replace("`", ""), verdict.name + (if (claim.from.recordings.isEmpty) "" else " (recorded)"))
    }
  )

  /** Where `kernels/course run` wants a page's verdicts: one JSON object a line. */
  private def ledger: Option[Path] = sys.env.get("COURSE_CLAIMS").filter(_.nonEmpty).map(Path.of(_))

  private[lab] def compare(measured: Estimate, published: Double, within: Double, apart: Threshold): Verdict = {
    def undecided = Verdict.Undecided(s"$measured doesn't decide (threshold $apart)")
    // Turned so that the claim is "more than 1".
    val (here, there) = if (published >= 1) (measured, published) else (turned(measured), 1 / published)
    if (here.isBelow(1 / apart.value)) Verdict.DoesNotHold("it is the other way round")
    else if (here.isBelow(apart.value)) Verdict.DoesNotHold("the two are about equal, or the other way round")
    else if (!here.isAbove(apart.value)) undecided
    else if (here.isAbove(there / within) && here.isBelow(there * within)) Verdict.Holds
    else if (here.isAbove(there * within) || here.isBelow(there / within))
      Verdict.Depends("the direction is the published one, its size isn't")
    else Verdict.Undecided(s"the direction is the published one; $measured doesn't decide whether its size is (a factor of $within)")
  }

  /** The same ratio the other way round. `Estimate.over` would make its bounds even, by the farther one. */
  private def turned(ratio: Estimate): Estimate =
    Estimate(1 / ratio.value, 1 / ratio.high, if (ratio.low > 0) 1 / ratio.low else Double.PositiveInfinity, ratio.unit)
}

/** A structural claim turned out false: either the page or the course's explanation of it is wrong here. */
final class ClaimFailed(message: String) extends AssertionError(message)

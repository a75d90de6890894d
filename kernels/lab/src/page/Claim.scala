package lab

import java.nio.file.Path
import java.util.concurrent.atomic.AtomicReference

import com.google.gson.JsonObject

import scala.util.control.NonFatal

/** A claim of one of the articles, tried here. Each of the verbs below judges it, shows the verdict under the running cell, and, under
  * `kernels/course run`, writes it down for the ledger. To be called from the cell's own thread.
  *
  * {{{
  * Claim("B3", "a fixed pool does not hear `blocking`", measured = started).must(started == 2)
  * }}}
  *
  * @param id        its name in the course, `B3` for instance; one of [[Published.claims]]
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
    from: JmhResults = JmhResults.none
) {
  private val source = Published.claim(id)

  private def publishedWords: String = published match {
    case Claim.AsPublished => source.published
    case figures: Seq[_]   => source.published(figures.collect { case figure: PublishedFigure => figure })
    case other             => s"$other"
  }

  /** Judges a ''structural'' claim: which thread, how many at once, in what order. Such a claim must hold on every machine.
    *
    * @throws lab.ClaimFailed if `check` is false, after the verdict was shown and written down
    */
  def must(check: => Boolean): Unit = {
    val verdict = judge(if (check) Verdict.Holds else Verdict.DoesNotHold("but it must on every machine"))
    if (verdict != Verdict.Holds) throw new ClaimFailed(s"$id does not hold: $sentence (measured: $measured)")
  }

  /** Shows a verdict that the page reached itself; none of them fails the page. */
  def grade(verdict: => Verdict): Unit = {
    judge(verdict)
    ()
  }

  /** Judges a claim about times by a ratio, which is never good enough to fail a page:
    *  - ''holds'' if the ratio points where the published one does, and lies within a factor `within` of it;
    *  - ''depends'' if it points there, but lies farther off;
    *  - ''does not hold'' if the two are about equal (less apart than the factor `margin`) or the other way round.
    *
    * @param first     name and value of the numerator; `second`, in the same unit, of the denominator
    * @param published the published ratio; only its direction counts where `within` is infinite
    * @throws java.lang.IllegalArgumentException if a value isn't positive, or a factor less than 1
    */
  def ratio(
      first: (String, Double),
      second: (String, Double),
      published: Double,
      within: Double = 2.0,
      margin: Double = 1.25
  ): Unit = {
    val positive = Seq(first._2, second._2, published).forall(value => value > 0 && !value.isInfinite)
    if (!positive || within < 1 || margin < 1)
      throw new IllegalArgumentException(
        s"$id: positive values and factors from 1 on are needed, not $first, $second, $published, $within, $margin"
      )
    val measured = first._2 / second._2
    def quotient(value: Double): String = {
      val number = if (value < 10) String.format(java.util.Locale.ROOT, "%.2f", value) else Say.number(value)
      s"${first._1} / ${second._1} = $number"
    }
    def direction = s"${first._1} / ${second._1} ${if (published > 1) "above" else "below"} 1"
    val judged = copy(
      measured = if (this.measured == "–") quotient(measured) else this.measured,
      published =
        if (this.published == Claim.AsPublished) s"${if (within.isInfinite) direction else quotient(published)}; ${source.published}"
        else this.published
    )
    judged.grade(Claim.compare(measured, published, within, margin))
  }

  /** Says that the claim could not be tried here, and why; the ledger says so too. */
  def notTried(why: String): Unit = grade(Verdict.NotTried(why))

  private def judge(verdict: => Verdict): Verdict = {
    val reached =
      try verdict
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
    Claim.ledger.foreach(file => JsonLines.append(file)(_ => row(verdict)))
  }

  /** On which machine, and when if not now. */
  private def machines: String = (Option.when(from.measuredHere)(Machine.here().toString) ++ from.recordedConditions).mkString("; ")

  private[lab] def panel(verdict: Verdict): Panel = {
    val mark = verdict match {
      case Verdict.Holds          => Panel.Good
      case _: Verdict.Depends     => Panel.Mixed
      case _: Verdict.DoesNotHold => Panel.Bad
      case _: Verdict.NotTried    => Panel.Open
    }
    val facts =
      Seq("measured" -> s"$measured", "published" -> publishedWords, (if (from.recordings.isEmpty) "here" else "where") -> machines)
    Panel(mark, s"$id ${verdict.name}", sentence, Option(verdict.because).filter(_.nonEmpty).map("because" -> _).toSeq ++ facts)
  }

  private[lab] def row(verdict: Verdict): JsonObject = {
    val conditions = Seq(verdict.because, machines).filter(_.nonEmpty).mkString("; ")
    val fields = Seq("id" -> id, "sentence" -> sentence, "verdict" -> verdict.name)
    val record = new JsonObject
    (fields ++ Seq("measured" -> s"$measured", "published" -> publishedWords, "conditions" -> conditions)).foreach { case (name, value) =>
      record.addProperty(name, value)
    }
    record
  }
}

object Claim {

  /** The published value is the one in `data/published`. */
  private[lab] case object AsPublished

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

  private[lab] def compare(measured: Double, published: Double, within: Double, margin: Double): Verdict = {
    // Both turned so that the claim is "more than 1".
    val (here, there) = if (published >= 1) (measured, published) else (1 / measured, 1 / published)
    if (here * margin <= 1) Verdict.DoesNotHold("it is the other way round")
    else if (here < margin) Verdict.DoesNotHold("the two are about equal")
    else if (here > there * within || here * within < there) Verdict.Depends("the direction is the published one, its size isn't")
    else Verdict.Holds
  }
}

/** A structural claim turned out false: either the page or the course's explanation of it is wrong here. */
final class ClaimFailed(message: String) extends AssertionError(message)

package lab.page

import java.util.concurrent.atomic.AtomicReference

import lab.machine.Machine
import lab.measure.{Estimate, Proof, Threshold}
import lab.results.{JmhResults, Measurement, OwnRecords, Published, Record, RecordedVerdicts, Statement}
import lab.show.{Display, Panel, Table}

import scala.util.control.NonFatal

/** A statement of one of the articles, tried here. Each of the verbs below judges it, shows the verdict under the running cell, and records
  * it twice: among this reader's records, which page 12 shows, and in the cell's output, for tools that read executed pages. Call them from
  * the cell's own thread.
  *
  * {{{
  * Claim("B3.fixed-pool").measured("asleep simultaneously" -> asleep).must(asleep == 2)
  * }}}
  */
final class Claim private (
    val statement: Statement,
    measurements: Vector[Measurement] = Vector.empty,
    benchmark: JmhResults = JmhResults.none,
    compared: Option[Claim.Compared] = None,
    doubt: Option[String] = None
) {
  private def copy(
      measurements: Vector[Measurement] = measurements,
      benchmark: JmhResults = benchmark,
      compared: Option[Claim.Compared] = compared,
      doubt: Option[String] = doubt
  ): Claim = new Claim(statement, measurements, benchmark, compared, doubt)

  /** Returns the claim with these measurements added.
    *
    * @throws java.lang.IllegalArgumentException if two measurements have the same name: a record finds them by it
    */
  def measured(facts: Measurement*): Claim = {
    val all = measurements ++ facts
    all
      .map(_.name)
      .diff(all.map(_.name).distinct)
      .headOption
      .foreach(name => throw new IllegalArgumentException(s"${statement.id} has two measurements named '$name'; give each its own name"))
    copy(measurements = all)
  }

  /** Returns the claim with the benchmark that its figures come from. If the benchmark is recorded, panel and record show the recording's
    * machine and day instead of this machine.
    */
  def from(benchmark: JmhResults): Claim = copy(benchmark = benchmark)

  /** Returns the claim, to be judged only if the instrument that it rests on has proven itself. If not, the verdict is ''not tried'', with
    * the reason.
    */
  def provided(instrument: Proof): Claim = if (instrument.passed) this else copy(doubt = Some(instrument.words))

  /** Judges a ''structural'' claim: which thread, how many simultaneously, in what order. Such a claim must hold on every machine.
    *
    * @throws lab.page.ClaimFailed if `check` is false, after the verdict was shown and recorded
    */
  def must(check: => Boolean): Unit = {
    val verdict = judge(
      if (check) Verdict.Holds else Verdict.DoesNotHold("it should hold on every machine with the stored page's numbers")
    )
    if (verdict.isInstanceOf[Verdict.DoesNotHold])
      throw new ClaimFailed(
        s"${statement.id} does not hold: ${statement.text} (measured: ${Measurement.shown(measurements)}). If you changed a cell, your " +
          "change causes this; undo it to go on with the page. If you changed nothing, run the page from the top."
      )
  }

  /** Shows a verdict that the page reached itself. No such verdict fails the page. */
  def grade(verdict: => Verdict): Unit = {
    judge(verdict)
    ()
  }

  /** Judges a claim about times by a ratio that was measured with its bounds. No such verdict fails a page:
    *  - ''holds'' if the whole interval points where the published ratio does, and lies within a factor `within` of it;
    *  - ''depends'' if the whole interval points there, but lies farther away;
    *  - ''does not hold'' if the whole interval says that the two are about equal, or that it is the other way round;
    *  - ''not decided here'' if the interval covers more than one of these.
    *
    * If the published ratio itself says that the two are about equal, the claim ''holds'' if the whole interval says so, and ''does not
    * hold'' if the whole interval says that they differ.
    *
    * @param words     what is divided by what: "global / single"; the measurement has this name
    * @param published the published ratio; only its direction counts if `within` is infinite
    * @param apart     the ratio from which the two count as different
    * @throws java.lang.IllegalArgumentException if a ratio isn't above zero, or a factor is less than 1
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
        s"${statement.id}: ratios above zero and factors from 1 on are needed, not $measured, $published, $within, ${apart.value}"
      )
    copy(
      measurements = (words -> measured: Measurement) +: measurements,
      compared = Some(Claim.Compared(words, published, byDirection = within.isInfinite))
    ).grade(Claim.compare(measured, published, within, apart))
  }

  /** Records that the claim could not be tried here, and why. The ledger shows this too. */
  def notTried(why: String): Unit = grade(Verdict.NotTried(why))

  override def toString: String = statement.toString

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
    Display.show(bundle(verdict))
    Claim.judged.updateAndGet(_.filterNot { case (claim, _) => claim.statement.id == statement.id } :+ (this -> verdict))
    OwnRecords.keep(s"The verdict on ${statement.id}")(record(verdict))
  }

  private[page] def bundle(verdict: Verdict): Map[String, String] = panel(verdict).bundle + (Record.mime -> s"${record(verdict).json}")

  /** Returns what the recorded runs of this page came to, for a claim that isn't decided or tried here. */
  private def beside(verdict: Verdict): Option[String] =
    if (Verdict.isOpen(verdict.name)) RecordedVerdicts.of(statement.id).map(_.toString) else None

  private def isRecorded: Boolean = benchmark.recordings.nonEmpty

  private[page] def panel(verdict: Verdict): Panel = {
    val where = Option.when(benchmark.measuredHere)(Machine.here().toString) ++ benchmark.recordedConditions
    val facts = Seq(
      "because" -> verdict.because,
      "measured" -> Measurement.shown(measurements),
      "published" -> (compared.map(_.toString) ++ Seq(statement.published)).mkString("; "),
      (if (isRecorded) "where" else "here") -> where.mkString("; "),
      "recorded" -> beside(verdict).getOrElse("")
    ) ++ statement.howItFails
    val title = s"${statement.claim.id} ${verdict.name}"
    Panel(Verdict.mark(verdict.name), title, statement.shown, facts.filter(_._2.nonEmpty))
  }

  private[lab] def record(verdict: Verdict): Record = {
    val judged = Seq("statement" -> statement.id, "verdict" -> verdict.name, "because" -> verdict.because)
    val beside = compared.filterNot(_.byDirection).map(ratio => "published" -> Seq(ratio.measurement.json))
    val rests = if (isRecorded) Seq("recorded" -> benchmark.recordedConditions.mkString("; "), "here" -> benchmark.measuredHere) else Nil
    Record("verdict", (judged :+ ("measured" -> measurements.map(_.json))) ++ beside ++ rests: _*)
  }
}

object Claim {

  /** Finds the statement with this id in `data/published/statements.csv`, ready to be judged.
    *
    * @throws java.lang.IllegalArgumentException if the course has none
    */
  def apply(id: String): Claim = new Claim(Published.statement(id))

  /** Finds every statement of these claims of the articles, such as `A6`.
    *
    * @throws java.lang.IllegalArgumentException if the course has no such claim
    */
  def all(claims: String*): Vector[Claim] =
    claims.toVector.map(Published.claim).flatMap(claim => Published.statements.filter(_.claim == claim)).map(new Claim(_))

  /** The published ratio that is shown next to the measured one; only its direction counts if `byDirection`. */
  private final case class Compared(words: String, ratio: Double, byDirection: Boolean) {
    def measurement: Measurement = words -> Estimate.exactly(ratio, "×")
    override def toString: String = if (byDirection) s"$words ${if (ratio > 1) "above" else "below"} 1" else s"$measurement"
  }

  private val judged = new AtomicReference(Vector.empty[(Claim, Verdict)])

  /** Builds a table of the verdicts reached in this kernel so far, which this page adds to the ledger. If a statement is judged again, the
    * latest verdict counts.
    */
  def table: Table = Table(
    "What this page tried",
    Seq("claim", "statement", "verdict"),
    judged.get.map { case (claim, verdict) =>
      Seq(claim.statement.claim.id, claim.statement.shown.replace("`", ""), verdict.name + (if (claim.isRecorded) " (recorded)" else ""))
    }
  )

  private[lab] def compare(measured: Estimate, published: Double, within: Double, apart: Threshold): Verdict = {
    def undecided = Verdict.Undecided(s"$measured doesn't decide (threshold $apart)")
    // Inverted if necessary, so that the claim is "more than 1".
    val (here, there) = if (published >= 1) (measured, published) else (turned(measured), 1 / published)
    val (more, less) = (here.isAbove(apart.value), here.isBelow(1 / apart.value))
    if (there <= apart.value) {
      if (more || less) Verdict.DoesNotHold("the two differ, but were published as about equal")
      else if (here.isAbove(1 / apart.value) && here.isBelow(apart.value)) Verdict.Holds
      else undecided
    } else if (less) Verdict.DoesNotHold("it is the other way round")
    else if (here.isBelow(apart.value)) Verdict.DoesNotHold("the two are about equal, or the other way round")
    else if (!more) undecided
    else if (here.isAbove(there / within) && here.isBelow(there * within)) Verdict.Holds
    else if (here.isAbove(there * within) || here.isBelow(there / within))
      Verdict.Depends("the direction is as published, the size isn't")
    else Verdict.Undecided(s"the direction is as published; $measured doesn't decide whether the size is, too (a factor of $within)")
  }

  /** Inverts a ratio with its own bounds. `Estimate.over` would make them wider. */
  private def turned(ratio: Estimate): Estimate =
    Estimate(1 / ratio.value, 1 / ratio.high, if (ratio.low > 0) 1 / ratio.low else Double.PositiveInfinity, ratio.unit)
}

/** Signals that a structural claim came out false: either the page or the course's explanation of it is wrong here. */
final class ClaimFailed(message: String) extends AssertionError(message)

package lab.measure

import lab.results.{Recorded, RecordedRows}
import lab.show.Table

import scala.concurrent.duration._
import scala.util.Random

/** Tests how often a verdict is right, in noise from a real machine (`data/recorded/noise-quiet.csv` and `noise-busy.csv`, by
  * [[NoiseRecorder]]). A draw is one comparison on a page: a stretch of quiet rounds, with one round in six replaced by one that was
  * recorded while a compiler ran. The two variants were the same, so the truth is known: it is the factor by which one is multiplied.
  *
  * `kernels/course test lab -k IntervalSimulation` prints the table in `data/README.md`.
  */
class IntervalSimulationSuite extends munit.FunSuite {
  import IntervalSimulationSuite._

  override val munitTimeout: Duration = 120.seconds

  private val threshold = Threshold(1.25, "as most verdicts have it")
  private val draws = 4000

  private val quantities = Seq("median", "p95", "throughput")

  /** Simulates draws.
    *
    * @param ratio     how many times the other variant one variant really is
    * @param disturbed the share of rounds that were recorded while a compiler ran
    * @param told      whether the system reports these rounds, so that they are measured again
    */
  private def simulate(what: String, ratio: Double, disturbed: Double, told: Boolean): Found = {
    val random = new Random(28)
    val (calm, busy) = (quiet(what), noisy(what))
    val found = (1 to draws).map { _ =>
      val from = random.nextInt(calm.size)
      var measured = 0
      def round(): (Map[String, Double], Boolean) = {
        measured += 1
        val noise =
          if (random.nextDouble() < disturbed) busy(random.nextInt(busy.size)) else calm((from + measured) % calm.size)
        // The two variants are the same, so their names are drawn. The truth is then exactly `ratio`.
        val off = if (random.nextBoolean()) noise.ratio else 1 / noise.ratio
        (Map("a" -> ratio * off, "b" -> 1.0), noise.disturbed && told)
      }
      def rounds(repeated: Repeated[Double]) = repeated.of("")(identity)
      val all = Repeated.looked[Double](8, Vector("a", "b"), rounds(_).undecided(threshold)("a" -> "b"))((_, _, _) => round())
      (rounds(all).ratio("a", "b"), measured)
    }
    def share(count: Estimate => Boolean): Double = 100.0 * found.count { case (bounds, _) => count(bounds) } / draws
    val (above, below) = (share(_.isAbove(threshold.value)), share(_.isBelow(threshold.value)))
    val (right, wrong) = if (ratio < threshold.value) (below, above) else (above, below)
    Found(right, share(one => one.low <= ratio && ratio <= one.high), wrong, found.map(_._2.toDouble).sum / draws)
  }

  test("in recorded noise, the bounds hold, few verdicts are wrong, and clear differences are decided") {
    val settings = Seq(
      ("quiet", 0.0, true),
      ("one in six disturbed", 1.0 / 6, true),
      ("one in six disturbed, nobody tells which", 1.0 / 6, false),
      ("all disturbed", 1.0, true)
    )
    val rows = for (what <- quantities; (setting, disturbed, told) <- settings) yield {
      def of(ratio: Double) = simulate(what, ratio, disturbed, told)
      val (about, at, apart) = (of(1.05), of(threshold.value), of(1.6))
      val where = s"$what, $setting"
      assert(at.held >= 98.5, s"$where: the bounds hold the threshold in ${at.held} % of the draws")
      for (one <- Seq(about, apart)) {
        assert(one.wrong < 0.1, s"$where: ${one.wrong} % are wrong")
        if (disturbed < 1) assert(one.right >= 90, s"$where: ${one.right} % are decided")
      }
      val (right, wrong) = (f"${about.right}%.1f / ${apart.right}%.1f", f"${about.wrong.max(apart.wrong)}%.2f")
      Seq(where, f"${at.held}%.1f", right, wrong, f"${about.rounds}%.1f / ${apart.rounds}%.1f")
    }
    println(Table("Simulated", Seq("noise", "cover, %", "right at 1.05 / 1.6, %", "wrong, %", "rounds"), rows).plain)
  }

  test("rounds that are recorded as disturbed were disturbed") {
    def share(of: Vector[Noise]) = of.count(_.disturbed).toDouble / of.size
    for (what <- quantities) {
      assert(share(quiet(what)) < 0.1, s"$what: ${share(quiet(what))}")
      assert(share(noisy(what)) > 0.6, s"$what: ${share(noisy(what))}")
    }
  }
}

object IntervalSimulationSuite {

  /** Shares of all draws, in %.
    *
    * @param held   the draws whose bounds hold the truth
    * @param rounds the number of measured rounds, on average
    */
  private final case class Found(right: Double, held: Double, wrong: Double, rounds: Double)

  /** @param ratio the ratio of two variants that were the same */
  private final case class Noise(ratio: Double, disturbed: Boolean)

  private def recorded(name: String): Map[String, Vector[Noise]] =
    RecordedRows.read(Recorded.folder.resolve(s"$name.csv")).rows.toVector.groupMap(_("what")) { row =>
      Noise(row("one").toDouble / row("other").toDouble, row("disturbed").toBoolean)
    }

  private lazy val quiet = recorded("noise-quiet")
  private lazy val noisy = recorded("noise-busy")
}

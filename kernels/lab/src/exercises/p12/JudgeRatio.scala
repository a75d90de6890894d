package lab.exercises

import lab.measure.{Estimate, Threshold}
import lab.page.Claim

import scala.util.Random

/** Judge a measured ratio by a published one. The answer maps both to the name of a verdict, by the rules of `Claim.ratio`, with a factor
  * of two for the size. Nothing is measured; the bounds are drawn at random.
  */
object JudgeRatio extends Cases[(Estimate, Double) => String]("12-verdict") {
  trial("direction and size are the published ones")(
    "All of the interval is on the side of the published ratio, and near it. Which verdict says that?",
    "`isAbove` and `isBelow` ask about all of the interval. Within a factor of two of the published ratio, the claim holds."
  )(judge(_, near(some(3, 9))))
  trial("the direction is the published one, the size isn't")(
    "Ten times as long where five times was published: is that the same claim or another one?",
    "If all of it is more than twice what was published, or less than half of it, and still apart from 1, it depends."
  )(judge(_, far(some(3, 9)), farBelow(some(7, 9))))
  trial("about equal, or the other way round")(
    "Twice as long was published. All of the interval is between 1.05 and 1.15. Is that \"longer\"?",
    "Below 1.25 the two are about equal, by the course's own threshold. If all of the interval is below it, the claim does not hold.",
    "An interval from 0.3 to 1.2 is on both sides of 1. But every value in it contradicts the claim."
  )(judge(_, equal(some(3, 9)), slightly(some(3, 9)), reversed(some(3, 9)), no(some(3, 9))))
  trial("the bounds reach over a threshold")(
    "From 0.8 to 6: which verdicts could be the right one?",
    "If the interval reaches over the threshold, a second measurement might give the other result. So it is not decided here."
  )(judge(_, open(some(3, 9))))
  trial("the direction is clear, the size isn't")(
    "Nine times was published, and 2 to 8 was measured. Is it less than half of what was published, or isn't it?",
    "Part of the interval is within a factor of two, part isn't. So neither holds nor depends is decided."
  )(judge(_, halfOpen(some(7, 9))))
  trial("published below 1")(
    "0.2 was published, that is, a fifth. Which way does the claim point?",
    "Invert both: a fifth of the time for one is five times the time for the other.",
    "Invert the value and both bounds. The low one becomes the high one."
  ) { answer =>
    val up = some(3, 9)
    judge(answer, Seq(near(up), far(up), reversed(up), slightly(up), open(up)).map(turned): _*)
  }
  trial("about equal was published")(
    "1.1 was published, which is about equal. What must the interval say for the claim to hold?",
    "If all of it lies between 1 / 1.25 and 1.25, the claim holds. If all of it lies above, or all of it below, it doesn't.",
    "A published ratio between 1 / 1.25 and 1.25 points neither up nor down. Ask that first."
  ) { answer =>
    val cases = Seq(alike, apart, onlyPartly, eitherWay)
    judge(answer, cases ++ cases.map(turned): _*)
  }

  private type Answer = (Estimate, Double) => String
  private type Case = (Estimate, Double)

  private def near(up: Int): Case = between(up * part(0.75, 0.85), up * part(1.1, 1.4)) -> up.toDouble
  private def far(up: Int): Case = between(up * part(2.5, 3), up * part(3.5, 5)) -> up.toDouble
  private def farBelow(up: Int): Case = between(part(1.5, 1.7), part(2.2, 2.8)) -> up.toDouble
  private def equal(up: Int): Case = between(part(0.85, 0.95), part(1.05, 1.15)) -> up.toDouble
  private def slightly(up: Int): Case = between(part(1.03, 1.06), part(1.1, 1.18)) -> up.toDouble
  private def reversed(up: Int): Case = between(part(0.3, 0.4), part(0.45, 0.6)) -> up.toDouble
  private def no(up: Int): Case = between(part(0.3, 0.5), part(1.1, 1.2)) -> up.toDouble
  private def open(up: Int): Case = between(part(0.6, 0.9), up * part(0.8, 1.2)) -> up.toDouble
  private def halfOpen(up: Int): Case = between(part(1.6, 2.2), up * part(0.7, 0.9)) -> up.toDouble
  private def alike: Case = between(part(0.85, 0.95), part(1.05, 1.15)) -> part(0.87, 1.15)
  private def apart: Case = between(part(1.3, 1.5), part(1.6, 3)) -> part(0.87, 1.15)
  private def onlyPartly: Case = between(part(0.9, 1.1), part(1.4, 2)) -> part(0.87, 1.15)
  private def eitherWay: Case = between(part(0.4, 0.7), part(1.4, 2)) -> part(0.87, 1.15)

  private def turned(of: Case): Case = Estimate(1 / of._1.value, 1 / of._1.high, 1 / of._1.low, "×") -> 1 / of._2

  /** Judges all cases. All must be right, and the first wrong one is shown. */
  private def judge(answer: Answer, cases: Case*): Seen = {
    firstWrong(cases.map { case (measured, published) =>
      val (right, said) = (Claim.compare(measured, published, within = 2, Threshold.aboutEqual).name, answer(measured, published))
      Seen(right, said, said == right).of(f"measured $measured, published × $published%.3g")
    })
  }

  private def between(low: Double, high: Double): Estimate = Estimate(math.sqrt(low * high), low, high, "×")
  private def part(low: Double, high: Double): Double = low + Random.nextDouble() * (high - low)
}

package lab.measure

import lab.chart.Chart
import lab.show.{ProgressLine, Table}

import scala.util.Random

/** What is to be compared, measured in turn and again and again: in each round every variant once, in an order that is drawn anew. So what
  * changes slowly (a warm-up, another program, the CPU's clock) meets all of them alike, and the spread between rounds says how much a
  * difference is worth.
  *
  * {{{
  * val rounds = Rounds(8)("8 threads" -> (() => p99(eight)), "200 threads" -> (() => p99(many)))
  * rounds.ratio("200 threads", "8 threads")   // × 1.04 (0.93 to 1.17)
  * }}}
  */
final class Rounds private (measured: Map[String, Vector[Double]], names: Vector[String], unit: String) {

  /** Of each variant what was measured, round after round. */
  def values: Map[String, Vector[Double]] = measured

  /** Geometric mean over the rounds with its 99 % bounds.
    *
    * @throws java.util.NoSuchElementException if there is no such variant, naming those that there are
    */
  def apply(name: String): Estimate = Estimate.of(of(name), unit)

  /** How many times `other` the variant `one` is, from the ratio within each round: what slowed a whole round slowed both. */
  def ratio(one: String, other: String): Estimate =
    Estimate.of(of(one).lazyZip(of(other)).map(_ / _), "×")

  /** One row for each variant: its value, and its ratio to the first one. */
  def table(caption: String): Table = Table(
    caption,
    Seq("variant", if (unit.isEmpty) "measured" else s"measured ($unit)", s"against ${names.head}", "rounds"),
    names.map { name =>
      val against = if (name == names.head) "–" else ratio(name, names.head).toString
      Seq(name, apply(name).copy(unit = "").toString, against, of(name).size.toString)
    }
  )

  /** As bars with their bounds. */
  def bars: Seq[(String, Chart.Value)] = names.map(name => name -> apply(name).bar)

  override def toString: String = names.map(name => s"$name ${apply(name)}").mkString("; ")

  private def of(name: String): Vector[Double] = values.getOrElse(
    name,
    throw new NoSuchElementException(s"no variant '$name'; there are ${names.mkString(", ")}")
  )
}

object Rounds {

  /** Of what was measured elsewhere, interleaved and repeated: the blocks of a load generator, say. The first value of each variant belongs
    * to the first round, and so on.
    *
    * @throws java.lang.IllegalArgumentException if there are fewer than three rounds or two variants, two have one name, one has more values
    *                                            than another, or a value isn't above zero and finite
    */
  def measured(unit: String = "")(variants: (String, Seq[Double])*): Rounds = {
    val names = variants.map(_._1).toVector
    check(names, variants.map(_._2.size).minOption.getOrElse(0), 0)
    variants.foreach { case (name, values) =>
      if (values.size != variants.head._2.size)
        throw new IllegalArgumentException(s"$name was measured ${values.size} times, ${names.head} ${variants.head._2.size} times")
      values.zipWithIndex.foreach { case (value, round) => check(name, value, round + 1) }
    }
    new Rounds(variants.map { case (name, values) => name -> values.toVector }.toMap, names, unit)
  }

  /** Measures every variant `rounds` times, on the calling thread, and says under the cell how far it is.
    *
    * @param rounds  how often each is measured; three at least
    * @param warmUp  rounds before these that don't count
    * @param unit    of what the variants give
    * @param seed    of the orders
    * @param variants each gives one measured value, above zero
    * @throws java.lang.IllegalArgumentException if there are fewer than three rounds or two variants, two have one name, or a value isn't
    *                                            above zero and finite, naming variant and round
    */
  def apply(rounds: Int, warmUp: Int = 1, unit: String = "", seed: Long = 1)(variants: (String, () => Double)*): Rounds = {
    val names = variants.map(_._1).toVector
    check(names, rounds, warmUp)
    val (random, line) = (new Random(seed), new ProgressLine("Rounds"))
    val measured = for (round <- 1 to warmUp + rounds) yield {
      line.say(
        s"${if (round <= warmUp) "warm-up" else s"${round - warmUp} of $rounds"}, ${line.time}",
        Some((round - 1.0) / (warmUp + rounds))
      )
      random.shuffle(variants).map { case (name, measure) =>
        val value = measure()
        check(name, value, round)
        name -> value
      }
    }
    line.say(s"$rounds of ${names.mkString(", ")}, in ${line.time}")
    new Rounds(measured.drop(warmUp).flatten.groupMap(_._1)(_._2).map { case (name, all) => name -> all.toVector }, names, unit)
  }

  private def check(names: Vector[String], rounds: Int, warmUp: Int): Unit = {
    if (rounds < 3 || warmUp < 0)
      throw new IllegalArgumentException(s"three rounds or more are needed for bounds, not $rounds (and $warmUp)")
    if (names.sizeIs < 2 || names.distinct.size != names.size)
      throw new IllegalArgumentException(s"two variants or more of different names are needed, not ${names.mkString(", ")}")
  }

  private def check(name: String, value: Double, round: Int): Unit =
    if (!(value > 0) || value.isInfinite)
      throw new IllegalArgumentException(s"$name gave $value in round $round; only values above zero can be compared")
}

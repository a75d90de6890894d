package lab.measure

import lab.chart.Chart
import lab.show.Table

/** One quantity of several variants, measured in turn and again and again: in each round every variant once, in an order that is drawn anew.
  * So what changes slowly (a warm-up, another program, the CPU's clock) meets all of them alike, and the spread between rounds says how much
  * a difference is worth.
  *
  * {{{
  * val rounds = Rounds(8)("8 threads" -> (() => p99(eight)), "200 threads" -> (() => p99(many)))
  * rounds.ratio("200 threads", "8 threads")   // × 1.04 (0.93 to 1.17)
  * }}}
  *
  * @param names      of the variants, in the order of the page
  * @param values     of each variant what was measured, round after round
  * @param confidence of every interval
  * @param disturbed  what else used the CPUs meanwhile, in words; empty if nothing did
  */
final class Rounds private[measure] (
    names: Vector[String],
    val values: Map[String, Vector[Double]],
    unit: String,
    confidence: Double,
    val disturbed: String
) {

  /** Where a variant lies, by [[Estimate.of]].
    *
    * @throws java.util.NoSuchElementException if there is no such variant, naming those that there are
    */
  def apply(name: String): Estimate = Estimate.of(of(name), unit, confidence)

  /** How many times `other` the variant `one` is, from the ratio within each round: what slowed a whole round slowed both. */
  def ratio(one: String, other: String): Estimate = Estimate.of(of(one).lazyZip(of(other)).map(_ / _), "×", confidence)

  /** How many times the ratio `below` the ratio `above` is, each named by its two variants; also from the ratios within each round. */
  def ratios(above: (String, String), below: (String, String)): Estimate = {
    def each(of: (String, String)): Vector[Double] = this.of(of._1).lazyZip(this.of(of._2)).map(_ / _)
    Estimate.of(each(above).lazyZip(each(below)).map(_ / _), "×", confidence)
  }

  /** One row for each variant: its value, and its ratio to the first one. */
  def table(caption: String): Table = Table(
    Seq(caption, disturbed).filter(_.nonEmpty).mkString("; "),
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

  /** Measures every variant `rounds` times, on the calling thread, and says under the cell how far it is.
    *
    * @param rounds   how often each is measured; three at least, and eight for bounds that one disturbed round doesn't widen
    * @param warmUp   rounds before these that don't count
    * @param unit     of what the variants give
    * @param until    whether the question is decided; see [[Repeated.apply]]
    * @param variants each gives one measured value, above zero
    * @throws java.lang.IllegalArgumentException if there are fewer than three rounds or two variants, two have one name, or a value isn't
    *                                            above zero and finite, naming variant and round
    */
  def apply(rounds: Int, warmUp: Int = 1, unit: String = "", until: Rounds => Boolean = Repeated.oneLook)(
      variants: (String, () => Double)*
  ): Rounds = {
    def values(repeated: Repeated[Double]): Rounds = repeated.of(unit)(identity)
    val looked: Repeated[Double] => Boolean = if (until eq Repeated.oneLook) Repeated.oneLook else now => until(values(now))
    values(Repeated(rounds, warmUp, looked)(variants: _*))
  }

  /** Of what was measured elsewhere, interleaved and repeated: the blocks of a load generator, say. The first value of each variant belongs
    * to the first round, and so on.
    *
    * @throws java.lang.IllegalArgumentException if there are fewer than three rounds or two variants, two have one name, one has more values
    *                                            than another, or a value isn't above zero and finite
    */
  def measured(unit: String = "")(variants: (String, Seq[Double])*): Rounds = {
    variants.foreach { case (name, values) =>
      if (values.size != variants.head._2.size)
        throw new IllegalArgumentException(s"$name was measured ${values.size} times, ${variants.head._1} ${variants.head._2.size} times")
    }
    val names = variants.map(_._1).toVector
    Repeated.check(names, variants.headOption.fold(0)(_._2.size), 0)
    of(names, variants.map { case (name, values) => name -> values.toVector }.toMap, unit)
  }

  private[measure] def of(
      names: Vector[String],
      values: Map[String, Vector[Double]],
      unit: String,
      confidence: Double = Repeated.confidence,
      disturbed: String = ""
  ): Rounds = {
    for ((name, all) <- values; (value, index) <- all.zipWithIndex if !(value > 0) || value.isInfinite)
      throw new IllegalArgumentException(s"$name gave $value in round ${index + 1}; only values above zero can be compared")
    new Rounds(names, values, unit, confidence, disturbed)
  }
}

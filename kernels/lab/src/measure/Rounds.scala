package lab.measure

import lab.chart.Chart
import lab.machine.Neighbours
import lab.show.{ProgressLine, Say, Table}

import scala.util.Random

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
  * @param confidence of every interval
  */
final class Rounds private[measure] (
    names: Vector[String],
    measured: Map[String, Vector[Double]],
    unit: String,
    confidence: Double,
    others: String
) {

  /** Of each variant what was measured, round after round. */
  def values: Map[String, Vector[Double]] = measured

  /** What else used the CPUs meanwhile, in words; empty if nothing did. */
  def disturbed: String = others

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

  private def of(name: String): Vector[Double] = measured.getOrElse(
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

/** What several variants gave, round after round, where each gives more than one number. [[of]] takes one of these numbers.
  *
  * {{{
  * val runs = Repeated(8)("4 threads" -> (() => Saturated(4)(work(2.millis))), "64 threads" -> (() => Saturated(64)(work(2.millis))))
  * runs.of("tasks/s")(_.perSecond).ratio("64 threads", "4 threads")
  * }}}
  *
  * @param disturbed what else used the CPUs meanwhile, in words; empty if nothing did
  */
final class Repeated[A] private (rounds: Vector[Map[String, A]], names: Vector[String], confidence: Double, val disturbed: String) {

  /** What was measured of a variant, round after round.
    *
    * @throws java.util.NoSuchElementException if there is no such variant, naming those that there are
    */
  def apply(name: String): Vector[A] =
    if (names.contains(name)) rounds.map(_(name))
    else throw new NoSuchElementException(s"no variant '$name'; there are ${names.mkString(", ")}")

  /** One quantity of all that was measured.
    *
    * @throws java.lang.IllegalArgumentException if one isn't above zero and finite, naming variant and round
    */
  def of(unit: String)(quantity: A => Double): Rounds =
    Rounds.of(names, names.map(name => name -> apply(name).map(quantity)).toMap, unit, confidence, disturbed)

  override def toString: String = s"${Say.count(rounds.size, "round")} of ${names.mkString(", ")}"
}

object Repeated {
  private[measure] val confidence = 0.99
  private val looks = 3

  /** In place of `until`: one look, when all planned rounds are measured. */
  private[measure] val oneLook: Any => Boolean = _ => true

  /** Measures every variant `rounds` times, on the calling thread, in each round in an order that is drawn anew.
    *
    * With `until` the question is looked at when that many rounds are measured; if it isn't decided, after twice as many, and for the last
    * time after three times as many. As each of the three looks may err, each takes a third of what 99 % allow (C. E. Bonferroni): so what is
    * clear stops early, and looking again makes no difference out of noise.
    *
    * A round in which other programs or the hypervisor used the CPUs ([[lab.machine.Neighbours]]) is measured anew, whatever it gave: half as
    * many as are planned, and only as long as most rounds aren't disturbed.
    *
    * @param until whether what was measured so far decides the question
    * @throws java.lang.IllegalArgumentException if there are fewer than three rounds or two variants, or two have one name
    */
  def apply[A](rounds: Int, warmUp: Int = 1, until: Repeated[A] => Boolean = oneLook)(variants: (String, () => A)*): Repeated[A] =
    together(rounds, warmUp, until)(variants.map(_._1): _*)(
      Random.shuffle(variants).map { case (name, measure) => name -> measure() }.toMap
    )

  /** As [[apply]], where all variants of a round are measured at the same moment, or by one program.
    *
    * @param names of the variants, in the order of the page
    * @param round what each of them gave
    */
  def together[A](rounds: Int, warmUp: Int = 1, until: Repeated[A] => Boolean = oneLook)(names: String*)(
      round: => Map[String, A]
  ): Repeated[A] = {
    check(names.toVector, rounds, warmUp)
    val line = new ProgressLine("Rounds")
    def measure(what: String): (Map[String, A], Boolean) = {
      line.say(s"$what, ${line.time}")
      val watch = Neighbours.watch()
      (round, watch.disturbed)
    }
    (1 to warmUp).foreach(_ => measure("warm-up"))
    val found = looked(rounds, names.toVector, until)((done, of) => measure(s"${done + 1} of $of"))
    line.say(Seq(s"$found, in ${line.time}", found.disturbed).filter(_.nonEmpty).mkString("; "))
    found
  }

  /** The looks alone.
    *
    * @param measure one round, told how many are done and of how many; and whether it was disturbed
    */
  private[measure] def looked[A](rounds: Int, names: Vector[String], until: Repeated[A] => Boolean)(
      measure: (Int, Int) => (Map[String, A], Boolean)
  ): Repeated[A] = {
    val gate = new Gate(rounds)
    var kept = Vector.empty[Map[String, A]]
    def upTo(total: Int, level: Double): Repeated[A] = {
      while (kept.size < total) kept :+= gate.next(measure(kept.size, total))
      new Repeated(kept, names, level, gate.words)
    }
    if (until eq oneLook) upTo(rounds, confidence)
    else {
      val eachLook = 1 - (1 - confidence) / looks
      val found = LazyList.from(1).take(looks).map(look => upTo(look * rounds, eachLook))
      found.find(until).getOrElse(found.last)
    }
  }

  private[measure] def check(names: Vector[String], rounds: Int, warmUp: Int): Unit = {
    if (rounds < 3 || warmUp < 0)
      throw new IllegalArgumentException(s"three rounds or more are needed for bounds, not $rounds (and $warmUp)")
    if (names.sizeIs < 2 || names.distinct.size != names.size)
      throw new IllegalArgumentException(s"two variants or more of different names are needed, not ${names.mkString(", ")}")
  }
}

/** Which rounds count: one that was disturbed is measured anew, whatever it gave, but half as many as are planned at most; and not where
  * most are disturbed, since the next one would be so as well.
  *
  * @param one what is measured anew, as a word
  */
private[lab] final class Gate(planned: Int, one: String = "round") {
  private var (measured, disturbed, anew) = (0, 0, 0)

  def next[A](round: => (A, Boolean)): A = {
    val (found, isDisturbed) = round
    measured += 1
    if (isDisturbed) disturbed += 1
    if (isDisturbed && anew < planned / 2 && 2 * disturbed <= measured + 1) { anew += 1; next(round) }
    else found
  }

  def words: String =
    if (disturbed == 0) ""
    else s"other programs used the CPUs in ${Say.count(disturbed, one)}" + (if (anew > 0) s", $anew of them were measured anew" else "")
}

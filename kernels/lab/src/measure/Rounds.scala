package lab.measure

import lab.chart.Chart
import lab.machine.{Neighbours, Profile}
import lab.show.{ProgressLine, Say, Table}

import scala.util.Random

/** Measurements of one quantity for several variants, taken in turn and repeated. Each round measures every variant once, in a new random
  * order. Slow changes, such as a warm-up, another program or the CPU's clock, therefore affect all variants alike, and the spread between
  * rounds shows how much a difference is worth.
  *
  * {{{
  * val rounds = Rounds(8)("8 threads" -> (() => p99(eight)), "200 threads" -> (() => p99(many)))
  * rounds.ratio("200 threads", "8 threads")   // × 1.04 (0.93 to 1.17)
  * }}}
  *
  * @param names      the variants' names, in the order of the page
  * @param confidence the confidence of every interval
  */
final class Rounds private[measure] (
    names: Vector[String],
    measured: Map[String, Vector[Double]],
    unit: String,
    confidence: Double,
    others: String
) {

  /** Returns each variant's measurements, one for each round. */
  def values: Map[String, Vector[Double]] = measured

  /** Returns in words what else used the CPUs during the measurement; empty if nothing did. */
  def disturbed: String = others

  /** Estimates where a variant lies, by [[Estimate.of]].
    *
    * @throws java.util.NoSuchElementException if there is no such variant; the message names those that there are
    */
  def apply(name: String): Estimate = Estimate.of(of(name), unit, confidence)

  /** Returns how many times `other` the variant `one` is, from the ratio within each round: if a whole round was slow, both were. If one of
    * the two was measured in more rounds, the others don't count.
    */
  def ratio(one: String, other: String): Estimate = Estimate.of(of(one).lazyZip(of(other)).map(_ / _), "×", confidence)

  /** Returns how many times the ratio `below` the ratio `above` is, also from the ratios within each round. Each of the two is named by its
    * two variants.
    */
  def ratios(above: (String, String), below: (String, String)): Estimate = {
    def each(of: (String, String)): Vector[Double] = this.of(of._1).lazyZip(this.of(of._2)).map(_ / _)
    Estimate.of(each(above).lazyZip(each(below)).map(_ / _), "×", confidence)
  }

  /** Returns the variants of those pairs whose ratio isn't on one side of the threshold yet, for the parameter `open` of [[Rounds.apply]]
    * and [[Repeated.apply]].
    */
  def undecided(threshold: Threshold)(pairs: (String, String)*): Seq[String] =
    pairs.filterNot { case (one, other) => ratio(one, other).decides(threshold) }.flatMap { case (one, other) => Seq(one, other) }.distinct

  /** Builds a table with one row for each variant: its value, and its ratio to the first variant. */
  def table(caption: String): Table = Table(
    Seq(caption, disturbed).filter(_.nonEmpty).mkString("; "),
    Seq("variant", if (unit.isEmpty) "measured" else s"measured ($unit)", s"against ${names.head}", "rounds"),
    names.map { name =>
      val against = if (name == names.head) "–" else ratio(name, names.head).toString
      Seq(name, apply(name).copy(unit = "").toString, against, of(name).size.toString)
    }
  )

  /** Returns the variants as bars, with their bounds. */
  def bars: Seq[(String, Chart.Value)] = names.map(name => name -> apply(name).bar)

  override def toString: String = s"${Say.count(measured.values.map(_.size).max, "round")} of ${names.mkString(", ")}"

  private def of(name: String): Vector[Double] = measured.getOrElse(
    name,
    throw new NoSuchElementException(s"no variant '$name'; there are ${names.mkString(", ")}")
  )
}

object Rounds {

  /** Measures every variant `rounds` times on the calling thread, and shows its progress under the cell.
    *
    * @param rounds   how often each variant is measured: at least three, and eight if one disturbed round is not to widen the bounds
    * @param warmUp   rounds before these, which don't count
    * @param unit     the unit of what the variants return
    * @param open     returns the variants that have to be measured again; see [[Repeated.apply]]
    * @param variants each returns one measured value, above zero
    * @throws java.lang.IllegalArgumentException if there are fewer than three rounds or two variants, if two have the same name, or if a
    *                                            value isn't above zero and finite; then the message names variant and round
    */
  def apply(rounds: Int, warmUp: Int = 1, unit: String = "", open: Rounds => Seq[String] = Repeated.oneLook)(
      variants: (String, () => Double)*
  ): Rounds = {
    def values(repeated: Repeated[Double]): Rounds = repeated.of(unit)(identity)
    val looked: Repeated[Double] => Seq[String] = if (open eq Repeated.oneLook) Repeated.oneLook else now => open(values(now))
    values(Repeated(rounds, warmUp, looked)(variants: _*))
  }

  /** Builds rounds from values that were measured elsewhere, interleaved and repeated, such as the blocks of a load generator. The first
    * value of each variant belongs to the first round, and so on.
    *
    * @throws java.lang.IllegalArgumentException if there are fewer than three rounds or two variants, if two have the same name, if one has
    *                                            more values than another, or if a value isn't above zero and finite
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

/** Measurements of several variants, if each measurement gives more than one number. [[of]] selects one of these numbers.
  *
  * {{{
  * val runs = Repeated(8)("4 threads" -> (() => Saturated(4)(work(2.millis))), "64 threads" -> (() => Saturated(64)(work(2.millis))))
  * runs.of("tasks/s")(_.perSecond).ratio("64 threads", "4 threads")
  * }}}
  *
  * @param disturbed what else used the CPUs during the measurement, in words; empty if nothing did
  */
final class Repeated[A] private (rounds: Vector[Map[String, A]], names: Vector[String], confidence: Double, val disturbed: String) {

  /** Returns what was measured for a variant, one result for each round in which it was.
    *
    * @throws java.util.NoSuchElementException if there is no such variant; the message names those that there are
    */
  def apply(name: String): Vector[A] =
    if (names.contains(name)) rounds.flatMap(_.get(name))
    else throw new NoSuchElementException(s"no variant '$name'; there are ${names.mkString(", ")}")

  /** Selects one quantity of each measured result.
    *
    * @throws java.lang.IllegalArgumentException if a quantity isn't above zero and finite; the message names variant and round
    */
  def of(unit: String)(quantity: A => Double): Rounds =
    Rounds.of(names, names.map(name => name -> apply(name).map(quantity)).toMap, unit, confidence, disturbed)

  override def toString: String = s"${Say.count(rounds.size, "round")} of ${names.mkString(", ")}"
}

object Repeated {
  private[measure] val confidence = 0.99
  private val looks = 3

  /** Replaces `open` if nobody gives one: a single look, when all planned rounds are measured. */
  private[measure] val oneLook: Any => Seq[String] = _ => Nil

  /** Measures every variant `rounds` times on the calling thread, in a new random order each round.
    *
    * With `open`, the first look comes after that number of rounds. If the question isn't decided then, the variants that it still needs are
    * measured in as many rounds again, and after the second look once more. Each of the three looks may err, so each takes a third of what
    * 99 % allow (Bonferroni's correction). A clear answer therefore stops early, and repeated looks don't turn noise into a difference.
    *
    * A round in which other programs or the hypervisor used the CPUs ([[lab.machine.Neighbours]]) is measured again, whatever it returned.
    * At most half as many rounds as planned are repeated, and none if most rounds are disturbed.
    *
    * @param open returns the variants that have to be measured again, because what was measured so far doesn't decide the question
    * @throws java.lang.IllegalArgumentException if there are fewer than three rounds or two variants, or if two have the same name
    */
  def apply[A](rounds: Int, warmUp: Int = 1, open: Repeated[A] => Seq[String] = oneLook)(variants: (String, () => A)*): Repeated[A] =
    measured(rounds, warmUp, open)(variants.map(_._1): _*) { names =>
      Random.shuffle(variants.filter(variant => names(variant._1))).map { case (name, measure) => name -> measure() }.toMap
    }

  /** Measures like [[apply]], but all variants of a round at the same moment, or with one program, and all of them until the question is
    * decided.
    *
    * @param until returns whether what was measured so far decides the question
    * @param names the variants' names, in the order of the page
    * @param round measures one round, and returns what each variant gave
    */
  def together[A](rounds: Int, warmUp: Int = 1, until: Option[Repeated[A] => Boolean] = None)(names: String*)(
      round: => Map[String, A]
  ): Repeated[A] = {
    val open = until.fold[Repeated[A] => Seq[String]](oneLook)(decides => now => if (decides(now)) Nil else names)
    measured(rounds, warmUp, open)(names: _*)(_ => round)
  }

  private def measured[A](rounds: Int, warmUp: Int, open: Repeated[A] => Seq[String])(names: String*)(
      round: Set[String] => Map[String, A]
  ): Repeated[A] = {
    check(names.toVector, rounds, warmUp)
    val line = new ProgressLine("Rounds")
    def measure(names: Set[String], what: String): (Map[String, A], Boolean) = {
      line.say(s"$what, ${line.time}")
      val watch = Neighbours.watch()
      (round(names), watch.disturbed)
    }
    (1 to warmUp).foreach(_ => measure(names.toSet, "warm-up"))
    val decided = if (Profile.current == Profile.Smoke) oneLook else open
    val found = looked(Profile.current.rounds(rounds), names.toVector, decided)((some, done, of) => measure(some, s"${done + 1} of $of"))
    line.say(Seq(s"$found, in ${line.time}", found.disturbed).filter(_.nonEmpty).mkString("; "))
    found
  }

  /** Measures until a look decides, without showing progress.
    *
    * @param measure measures one round of these variants, given how many rounds are done and how many there are; also returns whether the
    *                round was disturbed
    */
  private[measure] def looked[A](rounds: Int, names: Vector[String], open: Repeated[A] => Seq[String])(
      measure: (Set[String], Int, Int) => (Map[String, A], Boolean)
  ): Repeated[A] = {
    val gate = new Gate(rounds)
    val level = if (open eq oneLook) confidence else 1 - (1 - confidence) / looks
    def look(kept: Vector[Map[String, A]], some: Set[String], left: Int): Repeated[A] = {
      val all = kept ++ (1 to rounds).map(n => gate.next(measure(some, kept.size + n - 1, kept.size + rounds)))
      val found = new Repeated(all, names, level, gate.words)
      val again = if (left > 1) open(found).toSet & some else Set.empty[String]
      if (again.isEmpty) found else look(all, again, left - 1)
    }
    look(Vector.empty, names.toSet, if (open eq oneLook) 1 else looks)
  }

  private[measure] def check(names: Vector[String], rounds: Int, warmUp: Int): Unit = {
    if (rounds < 3 || warmUp < 0)
      throw new IllegalArgumentException(s"three rounds or more are needed for bounds, not $rounds (and $warmUp)")
    if (names.sizeIs < 2 || names.distinct.size != names.size)
      throw new IllegalArgumentException(s"two variants or more of different names are needed, not ${names.mkString(", ")}")
  }
}

/** Decides which rounds count. A disturbed round is measured again, whatever it returned. At most half as many rounds as planned are
  * repeated, and none if most are disturbed, since the next one would be disturbed too.
  *
  * @param one the word for what is repeated
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
    else s"other programs used the CPUs in ${Say.count(disturbed, one)}" + (if (anew > 0) s", $anew of them measured again" else "")
}

package lab.page

import lab.results.{JmhResults, Measurement, OwnPrediction}
import lab.show.{Display, Panel, Say}

/** Asks the reader to commit to an answer before an experiment. The answer is optional. A page that is run without one goes on, and says
  * so. Answers and results are kept with the reader's records under the prediction's id. The id is the page's number, a dash and some
  * words, and never changes. The question may change.
  *
  * {{{
  * val guess = Predict.number("04-started", "How many of the 100 have started?", "tasks")
  * // guess.is(…)
  * }}}
  *
  * After the experiment, call one of
  *
  * {{{
  * guess.reveal(started)
  * guess.reveal(knee, within = 2.0, computed = 16)
  * guess.notDecided("the work took another time than it should", measured = knee, computed = 16)
  * }}}
  *
  * Use a prediction from the cell's own thread.
  */
object Predict {

  /** Asks for one of several options. The answer is the option's letter, or its words.
    *
    * @throws java.lang.IllegalArgumentException unless there are 2 to 26 different options
    */
  def choice(id: String, question: String, options: String*): Choice = {
    if (options.distinct.size != options.size || options.size < 2 || options.size > 26)
      throw new IllegalArgumentException(s"2 to 26 different options are needed, not ${options.mkString("'", "', '", "'")}")
    new Choice(id, question, options.toVector)
      .asked(letters.zip(options).map { case (letter, option) => letter -> option }, "the letter, in quotes")
  }

  /** Asks for a number, in `unit`. */
  def number(id: String, question: String, unit: String = ""): Number = new Number(id, question, unit).asked(Nil, "your number")

  /** Asks for a table with some numbers for each row.
    *
    * @param columns what is asked for in each row, with its unit
    * @param within  the largest factor, up or down, that still counts as near
    * @throws java.lang.IllegalArgumentException if there is no row, no column, or `within` is less than 1
    */
  def table(id: String, question: String, columns: Seq[String], rows: Seq[String], within: Double = 1.25): PredictTable =
    PredictTable.asked(id, question, columns, rows, within)

  private val letters = ('a' to 'z').map(_.toString)

  /** The common part of the two kinds: a prediction is asked, perhaps answered, and then revealed.
    *
    * @tparam A the type of the answer
    */
  sealed abstract class Prediction[A](id: String, question: String, kind: String, belongs: (String, Any)*) {
    private val own = OwnPrediction(id, question, kind, belongs: _*)
    private var answer = Option.empty[A]
    private var revealed = false
    private var shown = Option.empty[Display.Handle]
    private var options = Seq.empty[(String, String)]

    protected def said(answer: A): String

    /** Returns an answer as a record holds it. */
    protected def kept(answer: A): Any

    /** Shows the question.
      *
      * @param what what the reader enters in the cell's line
      */
    private[page] def asked(options: Seq[(String, String)], what: String): this.type = {
      this.options = options
      val how = s"To answer, remove the `//` before `.is(…)`, enter $what and run the cell again. Or skip it and just see."
      shown = Some(Display.updatable(Panel(Panel.Asked, question, facts = options, note = how).bundle))
      this
    }

    /** Keeps the answer; a later one replaces it. After the experiment it is too late, unless the question's cell is run again. */
    protected def commit(reply: A): Unit =
      if (revealed) Panel(Panel.Open, "Too late to predict", s"it has happened. Run the cell with the question again.").show()
      else {
        answer = Some(reply)
        OwnPrediction.keep(own.answered(kept(reply)))
        shown.foreach(_.update(Panel(Panel.Asked, question, facts = options :+ ("you say" -> said(reply))).bundle))
      }

    override def toString: String = answer.fold("no answer yet")(said)

    /** Shows what happened next to the answer, and records both.
      *
      * @param judged   returns mark and words for an answer
      * @param facts    what happened, and what else to show next to the answer
      * @param happened what happened, as it is recorded
      * @param more     what else is recorded
      */
    protected def tell(facts: Seq[(String, String)], happened: Option[A], more: (String, Any)*)(
        judged: A => (Panel.Mark, String)
    ): Unit = {
      revealed = true
      val (mark, words) = answer.fold[(Panel.Mark, String)](Panel.Open -> "")(judged)
      Panel(mark, question, words, answer.map("you said" -> said(_)).toSeq ++ facts).show()
      val right = Seq(Panel.Good -> true, Panel.Mixed -> false).collectFirst { case (`mark`, right) if answer.nonEmpty => right }
      OwnPrediction.keep(own.revealed(answer.map(kept), happened.map(kept), right, more: _*))
    }

    protected def recorded(from: JmhResults): String = if (from.recordings.isEmpty) "" else " (recorded)"

    protected def keptOf(from: JmhResults): Seq[(String, Any)] =
      Option.when(from.recordings.nonEmpty)("recorded" -> true).toSeq

    /** Reveals without judging, for a page that can't decide whether an answer was right. */
    protected def undecided(because: String, facts: Seq[(String, String)], happened: Option[A], more: (String, Any)*): Unit =
      tell(facts :+ ("because" -> because), happened, more :+ ("because" -> because): _*)(_ => Panel.Open -> "Not decided here.")
  }

  /** A prediction that is one of several options. */
  final class Choice private[Predict] (id: String, question: String, options: Vector[String])
      extends Prediction[String](id, question, "choice", "options" -> options) {

    /** Commits to an answer.
      *
      * @throws java.lang.IllegalArgumentException if `option` is neither the letter of an option nor an option
      */
    def is(option: String): Unit = commit(known(option))

    /** Reveals what happened.
      *
      * @throws java.lang.IllegalArgumentException if `option` is neither the letter of an option nor an option
      */
    def reveal(option: String): Unit = reveal(option, JmhResults.none)

    /** Reveals what happened, and says that it is recorded if the benchmark `from`, which decided it, is recorded. */
    def reveal(option: String, from: JmhResults): Unit = {
      val happened = known(option)
      tell(Seq("happened" -> (happened + recorded(from))), Some(happened), keptOf(from): _*) { answer =>
        if (answer == happened) (Panel.Good, "As you said.") else (Panel.Mixed, "Surprised? Then there is something to learn here.")
      }
    }

    /** Reveals without judging, if something else decided what happened; `because` names it. */
    def notDecided(because: String): Unit = undecided(because, Nil, None)

    protected def said(answer: String): String = answer
    protected def kept(answer: String): Any = letters(options.indexOf(answer))

    private def known(option: String): String = {
      val letter = letters.indexOf(option.trim.toLowerCase)
      if (options.contains(option)) option
      else
        options.applyOrElse(
          letter,
          (_: Int) => throw new IllegalArgumentException(s"'$option' is no answer; there are ${letters.take(options.size).mkString(", ")}.")
        )
    }
  }

  /** A prediction that is a number. */
  final class Number private[Predict] (id: String, question: String, unit: String)
      extends Prediction[Double](id, question, "number", "unit" -> unit) {

    /** Commits to an answer.
      *
      * @throws java.lang.IllegalArgumentException if `number` is below zero, since whatever pages ask for is counted or measured, or too
      *                                            large for a record
      */
    def is(number: Double): Unit =
      if (0 <= number && number <= Measurement.most) commit(number)
      else
        throw new IllegalArgumentException(
          s"'${said(number)}' is no answer; a number from 0 to ${Say.number(Measurement.most)} is expected."
        )

    /** Accepts a number in quotes, since another question on the page may need quotes.
      *
      * @throws java.lang.IllegalArgumentException if `number` isn't a number, or is below zero
      */
    def is(number: String): Unit = is(
      number.trim.toDoubleOption.getOrElse(
        throw new IllegalArgumentException(s"'$number' is no answer; a number is expected, without quotes and without its unit.")
      )
    )

    /** Reveals what happened; an answer within a tenth is right. */
    def reveal(number: Double): Unit = reveal(number, from = JmhResults.none)

    /** Reveals what happened. What counts as right should be what the page's claim counts as right.
      *
      * @param from     the benchmark that decided what happened; if it is recorded, the panel says so
      * @param within   answers are right if they are at most this factor away
      * @param low      answers from here …
      * @param high     … to here are right, instead of `within`; if only one of the two is given, the other is `number`
      * @param computed what a formula says; the panel shows it, and an answer near it also counts as right
      * @throws java.lang.IllegalArgumentException if `within` is less than 1, or `number` isn't between `low` and `high`
      */
    def reveal(
        number: Double,
        from: JmhResults = JmhResults.none,
        within: Double = 1.1,
        low: Double = Double.NaN,
        high: Double = Double.NaN,
        computed: Double = Double.NaN
    ): Unit = {
      val band =
        if (low.isNaN && high.isNaN) Band.within(number, within)
        else Band(if (low.isNaN) number else low, if (high.isNaN) number else high)
      if (within < 1 || !band.holds(number))
        throw new IllegalArgumentException(s"a factor from 1 on, or bounds around ${said(number)} were expected, not $within, $low, $high")
      val named = within != 1.1 || !low.isNaN || !high.isNaN
      val words = if (band.low == band.high) said(band.low) else s"${Say.number(band.low)} to ${said(band.high)}"
      val right = Option.when(named)("right is" -> words)
      val facts = ("happened" -> (said(number) + recorded(from))) +: (right ++ formula(computed)).toSeq
      val bounds =
        Seq("low" -> band.low, "high" -> band.high, "computed" -> computed).filter(bound => math.abs(bound._2) <= Measurement.most)
      tell(facts, Some(number), keptOf(from) ++ bounds: _*) { answer =>
        val side = if (answer > number) "less" else "more"
        if (Band.within(number, 1).holds(answer)) (Panel.Good, "As you said.")
        else if (band.holds(answer)) (Panel.Good, "About what you said.")
        else if (Band.within(computed, 1.1).holds(answer)) (Panel.Good, s"You said what the formula says; what happened is $side.")
        else (Panel.Mixed, s"${side.capitalize} than you said.")
      }
    }

    /** Reveals without judging, if something else decided what happened.
      *
      * @param because  what decided it
      * @param measured what happened nevertheless
      * @param computed what a formula says
      */
    def notDecided(because: String, measured: Double = Double.NaN, computed: Double = Double.NaN): Unit =
      undecided(
        because,
        Option.when(!measured.isNaN)("happened" -> said(measured)).toSeq ++ formula(computed),
        Option.when(!measured.isNaN)(measured),
        Option.when(!computed.isNaN)("computed" -> computed).toSeq: _*
      )

    protected def said(answer: Double): String = s"${Say.number(answer)} $unit".trim
    protected def kept(answer: Double): Any = answer
    private def formula(computed: Double) = Option.when(!computed.isNaN)("the formula says" -> said(computed))
  }

  /** The range of right answers, with room for rounding. */
  private final case class Band(low: Double, high: Double) {
    def holds(answer: Double): Boolean = answer >= low - 1e-9 && answer <= high + 1e-9
  }
  private object Band {
    def within(number: Double, factor: Double): Band = {
      val ends = Seq(number / factor, number * factor)
      Band(ends.min, ends.max)
    }
  }
}

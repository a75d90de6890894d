package lab

/** Asks the reader to commit to an answer before an experiment. The answer is optional: a page that is run without one goes on, and says
  * so.
  *
  * {{{
  * val guess = Predict.number("How many of the 100 have started?", "tasks")
  * // guess.is(8)   the reader's line
  * guess.reveal(started)
  * }}}
  *
  * Use a prediction from the cell's own thread.
  */
object Predict {

  /** One of several; the answer is its letter, or its words.
    *
    * @throws java.lang.IllegalArgumentException unless there are 2 to 26 different options
    */
  def choice(question: String, options: String*): Choice = {
    if (options.distinct.size != options.size || options.size < 2 || options.size > 26)
      throw new IllegalArgumentException(s"2 to 26 different options are needed, not ${options.mkString("'", "', '", "'")}")
    new Choice(question, options.toVector).asked(letters.zip(options).map { case (letter, option) => letter -> option }, """is("a")""")
  }

  /** A number, in `unit`. */
  def number(question: String, unit: String = ""): Number = new Number(question, unit).asked(Nil, "is(3)")

  /** A few words of the reader's own; nobody judges them. */
  def words(question: String): Words = new Words(question).asked(Nil, """is("…")""")

  private val letters = ('a' to 'z').map(_.toString)

  /** What the three kinds share: asked, perhaps answered, then revealed.
    *
    * @tparam A what is answered
    */
  sealed abstract class Prediction[A](question: String) {
    private var answer = Option.empty[A]
    private var revealed = false

    protected def said(answer: A): String
    protected def compare(answer: A, happened: A): (Panel.Mark, String)

    private[lab] def asked(options: Seq[(String, String)], how: String): this.type = {
      Panel(Panel.Asked, question, facts = options, note = s"Your answer: `.$how`, or leave it out and just see.").show()
      this
    }

    /** Keeps the answer; a later one replaces it. After the experiment it is too late: run the question's cell again. */
    protected def commit(reply: A): Unit =
      if (revealed) Panel(Panel.Open, "Too late to predict", s"it has happened. Run the cell with the question again.").show()
      else {
        answer = Some(reply)
        Panel(Panel.Asked, "Noted", said(reply)).show()
      }

    override def toString: String = answer.fold("no answer yet")(said)

    protected def tell(happened: A, from: JmhResults): Unit = {
      revealed = true
      val outcome = said(happened) + (if (from.recordings.isEmpty) "" else s" (recorded)")
      answer match {
        case None => Panel(Panel.Open, question, facts = Seq("you said" -> "nothing this time", "happened" -> outcome)).show()
        case Some(reply) =>
          val (mark, word) = compare(reply, happened)
          Panel(mark, question, word, Seq("you said" -> said(reply), "happened" -> outcome)).show()
      }
    }
  }

  final class Choice private[Predict] (question: String, options: Vector[String]) extends Prediction[String](question) {

    /** @throws java.lang.IllegalArgumentException if `option` is neither the letter of an option nor an option */
    def is(option: String): Unit = commit(known(option))

    /** @throws java.lang.IllegalArgumentException if `option` is neither the letter of an option nor an option */
    def reveal(option: String): Unit = reveal(option, JmhResults.none)

    /** Likewise; what happened is said to be recorded if `from`, the benchmark that tells, is. */
    def reveal(option: String, from: JmhResults): Unit = tell(known(option), from)

    protected def said(answer: String): String = answer
    protected def compare(answer: String, happened: String): (Panel.Mark, String) =
      if (answer == happened) (Panel.Good, "You had it.") else (Panel.Mixed, "Surprised? Then there is something to learn here.")

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

  final class Number private[Predict] (question: String, unit: String) extends Prediction[Double](question) {
    def is(number: Double): Unit = commit(number)
    def reveal(number: Double): Unit = reveal(number, JmhResults.none)

    /** Likewise; what happened is said to be recorded if `from`, the benchmark that tells, is. */
    def reveal(number: Double, from: JmhResults): Unit = tell(number, from)

    protected def said(answer: Double): String = s"${Say.number(answer)} $unit".trim
    protected def compare(answer: Double, happened: Double): (Panel.Mark, String) = {
      val off = math.abs(answer - happened)
      if (off < 1e-9) (Panel.Good, "You had it.")
      else if (off <= 0.1 * math.abs(happened)) (Panel.Good, "Within a tenth.")
      else if (answer > happened) (Panel.Mixed, "Less than you said.")
      else (Panel.Mixed, "More than you said.")
    }
  }

  final class Words private[Predict] (question: String) extends Prediction[String](question) {
    def is(words: String): Unit = commit(words)
    def reveal(words: String): Unit = tell(words, JmhResults.none)

    protected def said(answer: String): String = answer
    protected def compare(answer: String, happened: String): (Panel.Mark, String) = (Panel.Asked, "")
  }
}

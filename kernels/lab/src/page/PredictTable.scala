package lab.page

import lab.results.{Measurement, OwnPrediction}
import lab.show.{Panel, Say, Table}

import scala.collection.immutable.VectorMap
import scala.collection.mutable

/** Asks the reader for a whole table before an experiment, with some numbers for each row. Rows that the reader doesn't fill in stay open.
  *
  * {{{
  * val table = Predict.table("07-play", "What comes of it?", Seq("answers/s", "p95, ms"), Seq("C1", "C2"))
  * // table.is("C1", …, …)
  * table.reveal("C1" -> Seq(79.0, 930.0), "C2" -> Seq(80.0, 925.0))
  * }}}
  *
  * Use it from the cell's own thread.
  */
final class PredictTable private (id: String, question: String, columns: Seq[String], rows: Seq[String], within: Double) {
  private val answers = mutable.Map.empty[String, Seq[Double]]
  private var revealed = false
  private val own = OwnPrediction(id, question, "table", "columns" -> columns, "rows" -> rows)

  /** Fills in a row; a later call replaces it. After the experiment it is too late, unless the question's cell is run again. If there is no
    * such row, the numbers don't match the columns, or one is too large, the panel says so, nothing is noted, and the rest of the cell goes on.
    */
  def is(row: String, numbers: Double*): Unit = {
    val fault = wrong(row, numbers).orElse(numbers.find(number => !(math.abs(number) <= Measurement.most)).map { number =>
      s"'${Say.number(number)}' is no answer; a number of at most ${Say.number(Measurement.most)} is expected"
    })
    if (fault.nonEmpty) Panel(Panel.Open, "Not noted", s"${fault.mkString}. Correct the line and run the cell again.").show()
    else if (revealed) Panel(Panel.Open, "Too late to predict", "it has happened. Run the cell with the question again.").show()
    else {
      answers(row) = numbers
      OwnPrediction.keep(own.answered(answers.to(VectorMap)))
      Panel(
        Panel.Asked,
        s"$row, noted",
        columns.zip(numbers).map { case (column, number) => s"${Say.number(number)} $column" }.mkString("; ")
      ).show()
    }
  }

  /** Shows what happened next to what the reader said. A check mark shows that the two are near each other.
    *
    * @param happened a row's name, and a number for each column
    * @throws java.lang.IllegalArgumentException if there is no such row, or there are more or fewer numbers than columns
    */
  def reveal(happened: (String, Seq[Double])*): Unit = {
    happened.foreach { case (row, numbers) => check(row, numbers) }
    revealed = true
    val cells = happened.map { case (row, numbers) =>
      row +: numbers.zipWithIndex.flatMap { case (number, column) =>
        val said = answers.get(row).fold("–")(all => told(all(column), number))
        (if (answers.isEmpty) Nil else Seq(said)) :+ Say.number(number)
      }
    }
    if (answers.isEmpty) Table(question, "row" +: columns, cells).show()
    else Table(s"$question A ✓ marks what is near.", "row" +: columns.flatMap(column => Seq(s"$column: you said", "it was")), cells).show()
    val answer = Option.when(answers.nonEmpty)(answers.to(VectorMap))
    OwnPrediction.keep(own.revealed(answer, Some(happened.to(VectorMap)), None, "within" -> within))
  }

  private def told(said: Double, happened: Double): String =
    Say.number(said) + (if (said <= happened * within && said >= happened / within) " ✓" else "")

  private def check(row: String, numbers: Seq[Double]): Unit =
    wrong(row, numbers).foreach(fault => throw new IllegalArgumentException(fault))

  private def wrong(row: String, numbers: Seq[Double]): Option[String] =
    if (!rows.contains(row)) Some(s"there is no row '$row'; there are ${rows.mkString(", ")}")
    else Option.when(numbers.size != columns.size)(s"row $row has ${columns.size} columns (${columns.mkString(", ")}), not ${numbers.size}")

  override def toString: String = s"${answers.size} of ${rows.size} rows filled in"
}

private[page] object PredictTable {
  def asked(id: String, question: String, columns: Seq[String], rows: Seq[String], within: Double): PredictTable = {
    if (columns.isEmpty || rows.isEmpty || within < 1)
      throw new IllegalArgumentException(s"rows, columns and a factor from 1 on are needed, not $rows, $columns, $within")
    val how =
      s"Fill in each row, from “${rows.head}” to “${rows.last}”, with `.is(row, ${columns.map(_ => "…").mkString(", ")})`, or skip it and just see."
    Panel(Panel.Asked, question, facts = Seq("for each row" -> columns.mkString(", ")), note = how).show()
    new PredictTable(id, question, columns, rows, within)
  }
}

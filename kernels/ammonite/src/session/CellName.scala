package ammonite.course

/** Names a cell: `cell3` for the compiler, `cell3.sc` in a stack trace, "cell 3" for the reader. */
object CellName {
  val prefix = "cell"

  def file(number: Int): String = s"$prefix$number.sc"

  def wrapper(number: Int): String = s"$prefix$number"

  def spoken(number: Int): String = s"cell $number"

  /** Rewrites a compiler's report in terms of the reader's cell. `cell3.sc:2:` becomes `cell 3, line 2:`. The `val res3_1 = ` that Ammonite
    * puts before an expression is removed, and the caret below moves with it.
    */
  def readable(report: String): String = {
    val lines = position.replaceAllIn(report, found => s"cell ${found.group(1)}, line ${found.group(2)}: ").linesIterator.toVector
    val shifts = lines.map(line => named.findPrefixOf(line).fold(0)(_.length))
    lines.indices
      .map { index =>
        val above = if (index > 0) shifts(index - 1) else 0
        if (lines(index).forall(char => char == ' ' || char == '^')) lines(index).drop(above) else lines(index).drop(shifts(index))
      }
      .mkString("\n")
  }

  private val position = s"""(?m)^$prefix(\\d+)\\.sc:(\\d+):(?:\\d+:?)?\\s*""".r
  private val named = """val res\d+(_\d+)? = """.r

  private val wrapped = s"$prefix(\\d+)".r

  /** Returns `3` if `name` is the wrapper of the third cell. */
  def numberOfWrapper(name: String): Option[Int] = Option(name).collect { case wrapped(number) => number.toInt }

  private val source = s"$prefix(\\d+)\\.sc".r

  /** Returns `3` if `fileName` is the third cell's. */
  def numberOf(fileName: String): Option[Int] = Option(fileName).collect { case source(number) => number.toInt }
}

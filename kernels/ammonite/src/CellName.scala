package ammonite.course

/** What a cell is called: `cell3` to the compiler, `cell3.sc` in a stack trace, "cell 3" to the reader. */
object CellName {
  val prefix = "cell"

  def file(number: Int): String = s"$prefix$number.sc"

  def spoken(number: Int): String = s"cell $number"

  private val position = s"""(?m)^$prefix(\\d+)\\.sc:(\\d+):(?:\\d+:?)?\\s*""".r

  /** A compiler's report with `cell3.sc:2:` at the start of a line told as `cell 3, line 2:`. */
  def readable(report: String): String = position.replaceAllIn(report, found => s"cell ${found.group(1)}, line ${found.group(2)}: ")

  private val source = s"$prefix(\\d+)\\.sc".r

  /** `3`, when `fileName` is the third cell's. */
  def numberOf(fileName: String): Option[Int] = Option(fileName).collect { case source(number) => number.toInt }
}

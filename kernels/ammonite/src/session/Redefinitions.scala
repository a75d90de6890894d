package ammonite.course

import ammonite.util.Imports

/** Remembers what cells defined and which others they used, and explains what is wrong if a class was defined again.
  *
  * A value belongs to the class from which it was made. If the cell that defines the class has run again, there are two classes with one
  * name. The compiler refuses to mix them, at length: `found: cell4.this.cell3.Point, required: ammonite.$sess.cell2.wrapper.cell1.Point`.
  */
final class Redefinitions {
  import Redefinitions._

  private var cells = Vector.empty[Past]

  /** Records a cell that has run: what it brings into the session, and the wrappers of the cells that it used. */
  def ran(number: Int, imports: Imports, used: Seq[String]): Unit = {
    val own = imports.value.filter(_.prefix.exists(_.raw == CellName.wrapper(number)))
    cells :+= Past(number, own.map(_.toName.raw).toSet, used.flatMap(CellName.numberOfWrapper(_)).toSet)
  }

  /** Rewrites a compiler's report of a cell for the reader. A line that says which cells to run again replaces what it says about classes
    * that were defined again.
    */
  def explain(report: String, code: String): String = {
    val errors = report.split(start).toVector
    val mixed = errors.flatMap(mentioned).distinct
    val classes = if (mixed.nonEmpty) mixed else lost(report, code)
    // If classes are mixed, errors about the newer class alone come from that. If not, they may be separate mistakes.
    val others =
      errors.filterNot(error => mixed.nonEmpty && mention.findAllMatchIn(error).exists(found => classes.exists(_.name == found.group(2))))
    if (classes.isEmpty) report else (advice(classes, code) +: others).map(_.stripLineEnd).mkString("\n")
  }

  /** Returns the older classes that an error mentions. */
  private def mentioned(error: String): Vector[Older] =
    mention
      .findAllMatchIn(error)
      .toVector
      .map(found => Older(found.group(2), found.group(1).toInt))
      .filter(older => newest(older.name) > older.cell)

  /** Finds older classes that an error doesn't mention. For a list of both classes, the compiler knows only what they have in common, and
    * then misses a member of the newer one alone.
    */
  private def lost(report: String, code: String): Vector[Older] =
    mention
      .findAllMatchIn(report)
      .map(found => (found.group(2), found.group(1).toInt))
      .flatMap { case (name, cell) => cells.filter(past => past.number < cell && past.defined(name)).map(past => Older(name, past.number)) }
      .filter(older => madeOf(older).exists(_.isNamedIn(code)))
      .toVector
      .distinct

  /** Returns the cell that defined the name last, or 0 if none did. */
  private def newest(name: String): Int = cells.filter(_.defined(name)).map(_.number).maxOption.getOrElse(0)

  /** Returns the cells that used the one that defined this class, directly or through other cells. Each has only the names that are still
    * its own today.
    */
  private def madeOf(older: Older): Vector[Past] = {
    val reached = cells.foldLeft(Set(older.cell))((reached, cell) => if (cell.uses.exists(reached)) reached + cell.number else reached)
    cells
      .filter(cell => cell.number != older.cell && reached(cell.number))
      .map(cell => cell.copy(defined = cell.defined.filter(newest(_) == cell.number)))
      .filter(_.defined.nonEmpty)
  }

  private def advice(classes: Vector[Older], code: String): String = {
    val made = classes.flatMap(madeOf).distinctBy(_.number).sortBy(_.number)
    val named = made.filter(_.isNamedIn(code)).map(_.number).toSet
    // And the cells from which those were made.
    val needed = made.reverse.foldLeft(named)((needed, cell) => if (needed(cell.number)) needed ++ cell.uses else needed)
    val run = made.map(_.number).filter(number => needed(number) || named.isEmpty)

    val names = classes.map(_.name).distinct.sorted
    def one(singular: String, plural: String) = if (names.sizeIs == 1) singular else plural
    val what = s"${names.map(name => s"`$name`").mkString(" and ")} ${one("was", "were")} defined again, by ${spoken(names.map(newest))}"
    if (run.isEmpty) s"$what: rerun the cells that use ${one("it", "them")}, then this one."
    else {
      val order = if (run.sizeIs == 1) "" else ", in this order"
      s"$what; what ${spoken(run)} made still belongs to the earlier ${one("one", "ones")}. Run ${spoken(run)} again$order, then this one."
    }
  }
}

private object Redefinitions {

  /** A cell that has run.
    *
    * @param defined the names that it brought into the session
    * @param uses    the cells whose definitions it used
    */
  private final case class Past(number: Int, defined: Set[String], uses: Set[Int]) {
    def isNamedIn(code: String): Boolean = word.findAllIn(code).exists(defined)
  }

  /** A class, or the object around it, as this cell defined it before another cell defined it again. */
  private final case class Older(name: String, cell: Int)

  /** Matches where an error begins. */
  private val start = "(?m)(?=^cell \\d+, line \\d+: )"

  /** Matches `cell1.Point`, whatever precedes it. */
  private val mention = s"\\b${CellName.prefix}(\\d+)\\.(?!(?:this|wrapper)\\b)([\\w$$]+)".r
  private val word = "[\\w$]+".r

  private def spoken(numbers: Vector[Int]): String = numbers.distinct.sorted match {
    case Vector(one)   => CellName.spoken(one)
    case first :+ last => s"cells ${first.mkString(", ")} and $last"
    case _             => ""
  }
}

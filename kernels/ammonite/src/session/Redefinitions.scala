package ammonite.course

import ammonite.util.Imports

/** What cells defined and which others they used; tells what is wrong where a class was defined again.
  *
  * A value is of the class that it was made of. When the cell that defines the class has run again there are two classes of one name, and
  * the compiler refuses to mix them, at length: `found: cell4.this.cell3.Point, required: ammonite.$sess.cell2.wrapper.cell1.Point`.
  */
final class Redefinitions {
  import Redefinitions._

  private var cells = Vector.empty[Past]

  /** A cell has run: what it brings into the session, and the wrappers of the cells that it used. */
  def ran(number: Int, imports: Imports, used: Seq[String]): Unit = {
    val own = imports.value.filter(_.prefix.exists(_.raw == CellName.wrapper(number)))
    cells :+= Past(number, own.map(_.toName.raw).toSet, used.flatMap(CellName.numberOfWrapper(_)).toSet)
  }

  /** A compiler's report of a cell, as the reader is to see it. What it says of classes that were defined again gives way to a line that
    * says which cells to run again.
    */
  def explain(report: String, code: String): String = {
    val errors = report.split(start).toVector
    val mixed = errors.flatMap(mentioned).distinct
    val classes = if (mixed.nonEmpty) mixed else lost(report, code)
    // What is said of the newer class alone comes of the mixture, where there is one; else it may be a mistake of its own.
    val others =
      errors.filterNot(error => mixed.nonEmpty && mention.findAllMatchIn(error).exists(found => classes.exists(_.name == found.group(2))))
    if (classes.isEmpty) report else (advice(classes, code) +: others).map(_.stripLineEnd).mkString("\n")
  }

  /** The older classes that an error speaks of. */
  private def mentioned(error: String): Vector[Older] =
    mention
      .findAllMatchIn(error)
      .toVector
      .map(found => Older(found.group(2), found.group(1).toInt))
      .filter(older => newest(older.name) > older.cell)

  /** Of a list of both classes the compiler knows no more than what they have in common, and then misses the newer one alone. */
  private def lost(report: String, code: String): Vector[Older] =
    mention
      .findAllMatchIn(report)
      .map(found => (found.group(2), found.group(1).toInt))
      .flatMap { case (name, cell) => cells.filter(past => past.number < cell && past.defined(name)).map(past => Older(name, past.number)) }
      .filter(older => madeOf(older).exists(_.isNamedIn(code)))
      .toVector
      .distinct

  /** By which cell it was defined last; 0 if by none. */
  private def newest(name: String): Int = cells.filter(_.defined(name)).map(_.number).maxOption.getOrElse(0)

  /** The cells that used the one that defined this class, or used one that did: each with what of it is there to this day. */
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
    // And those that they were made of themselves.
    val needed = made.reverse.foldLeft(named)((needed, cell) => if (needed(cell.number)) needed ++ cell.uses else needed)
    val run = made.map(_.number).filter(number => needed(number) || named.isEmpty)

    val names = classes.map(_.name).distinct.sorted
    def one(singular: String, plural: String) = if (names.sizeIs == 1) singular else plural
    val what = s"${names.map(name => s"`$name`").mkString(" and ")} ${one("was", "were")} defined again, by ${spoken(names.map(newest))}"
    if (run.isEmpty) s"$what: run the cells again that use ${one("it", "them")}, then this one."
    else {
      val order = if (run.sizeIs == 1) "" else ", in this order"
      s"$what; what ${spoken(run)} made is still of the earlier ${one("one", "ones")}. Run ${spoken(run)} again$order, then this one."
    }
  }
}

private object Redefinitions {

  /** @param defined the names that it brought into the session
    * @param uses    the cells whose definitions it used
    */
  private final case class Past(number: Int, defined: Set[String], uses: Set[Int]) {
    def isNamedIn(code: String): Boolean = word.findAllIn(code).exists(defined)
  }

  /** A class, or the object around it, as this cell defined it; another has since. */
  private final case class Older(name: String, cell: Int)

  /** Where an error begins. */
  private val start = "(?m)(?=^cell \\d+, line \\d+: )"

  /** `cell1.Point`, whatever stands before it. */
  private val mention = s"\\b${CellName.prefix}(\\d+)\\.(?!(?:this|wrapper)\\b)([\\w$$]+)".r
  private val word = "[\\w$]+".r

  private def spoken(numbers: Vector[Int]): String = numbers.distinct.sorted match {
    case Vector(one)   => CellName.spoken(one)
    case first :+ last => s"cells ${first.mkString(", ")} and $last"
    case _             => ""
  }
}

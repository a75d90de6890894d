package lab.page

import lab.installation.OpenedPages

/** Says which cell of a page defines a name that the session lacks. Usually it is a collapsed cell, which a reader skipped. */
object Undefined {

  /** Returns a sentence for each cell of the page that defines names which the compiler's report misses; empty if none does.
    *
    * @param report   what the compiler printed: `not found: value x`
    * @param notebook the name of the kernel's notebook, as Jupyter's server gives it in `JPY_SESSION_NAME`
    */
  def explain(report: String, notebook: Option[String]): Vector[String] = {
    val names = NotFound.findAllMatchIn(report).map(_.group(1)).toVector.distinct
    val page = if (names.isEmpty) None else notebook.flatMap(OpenedPages.pageOf)
    page.flatMap(name => CoursePage.all.find(_.name == name)).fold(Vector.empty[String])(in(_, names))
  }

  private[page] def in(page: CoursePage, names: Vector[String]): Vector[String] = {
    val cells = names.flatMap(name => page.definition(name).map(_ -> name)).groupMap(_._1)(_._2).toVector
    cells.map { case (cell, names) =>
      val what = names.sorted.map(name => s"`$name`").mkString(" and ")
      val kind = if (cell.isCollapsed) "collapsed cell" else "cell"
      s"The $kind that begins with `${cell.source.linesIterator.next()}` defines $what, and hasn't run. " +
        "Choose Run ▸ Run All Above Selected Cell."
    }
  }

  private val NotFound = "not found: (?:value|type|object) ([\\w$]+)".r
}

package lab.show

import java.util.concurrent.atomic.AtomicLong

/** The only way for rich output to leave a cell. Each kernel installs its own implementation.
  *
  * A bundle maps a MIME type to its text. Under a type that ends in `json`, the text is JSON and reaches the front end as a JSON object.
  * Every bundle holds `text/plain`, for those who cannot see the rest. Call it from the cell's own thread, because output of a background
  * thread appears in whatever cell is running.
  */
trait Display {

  /** Publishes `bundle`. If it has an `id`, it can be replaced later. */
  def show(bundle: Map[String, String], id: Option[String]): Unit

  /** Replaces in place what was shown under `id`, in whichever cell that is. */
  def update(bundle: Map[String, String], id: String): Unit
}

object Display {

  /** Prints the plain text on standard output if there is no notebook, as in tests and forked JVMs. */
  private val console: Display = new Display {
    def show(bundle: Map[String, String], id: Option[String]): Unit = println(bundle.getOrElse("text/plain", ""))
    def update(bundle: Map[String, String], id: String): Unit = show(bundle, None)
  }

  @volatile private var installed: Display = console
  @volatile private var looked = false
  @volatile private var cells = 0L
  private val ids = new AtomicLong

  /** Installs the kernel's implementation. The kernel calls it once. */
  def install(kernel: Display): Unit = installed = kernel

  /** Begins a cell. The kernel calls it before each cell. */
  def begin(): Unit = {
    looked = false
    cells += 1
  }

  /** Returns a number that differs for each cell that is run, for what should be said once in each. */
  private[lab] def cell: Long = cells

  /** Returns what a kernel lists of the values and functions that the cell defined, given the complete list. It is the complete list,
    * unless the cell showed a chart, a table or a panel. Then it is only the last value, if that has no name (`res3: Int = 4`), since
    * looking at it can be the only reason to compute it. An unnamed value before the last one is only what a call happened to return.
    */
  def listing(all: String): String =
    if (!looked) all
    else {
      val lines = all.linesIterator.toVector
      val last = lines.drop(lines.lastIndexWhere(Entry.matches(_)).max(0))
      last.headOption.filter(Unnamed.findPrefixOf(_).nonEmpty).fold("")(_ => last.mkString("\n"))
    }

  /** Matches the first line of what Ammonite says about a definition; a value may continue for several lines. */
  private val Entry = "(?:[\\w$]+|`[^`]+`): .* = .*|defined \\w+ .*|import .*".r
  private val Unnamed = "res\\d+(?:_\\d+)?: ".r

  /** Records whether the cell showed something to look at. A line of text alone shows progress; everything else is there to be looked at.
    */
  private def look(bundle: Map[String, String]): Unit = if (bundle.keys.exists(_ != "text/plain")) looked = true

  /** Publishes `bundle`, MIME type by MIME type, under the running cell. Outside a notebook, its plain text is printed. */
  def show(bundle: Map[String, String]): Unit = {
    look(bundle)
    installed.show(bundle, None)
  }

  /** Shows `bundle` and returns the handle that replaces it. */
  def updatable(bundle: Map[String, String]): Handle = {
    val id = s"lab-${ProcessHandle.current.pid}-${ids.incrementAndGet()}"
    look(bundle)
    installed.show(bundle, Some(id))
    new Handle(id)
  }

  /** Replaces something that was shown. */
  final class Handle private[Display] (name: String) {

    /** Returns the id that the front end knows. */
    def id: String = name

    /** Replaces what was shown with `bundle`, in whichever cell that is. */
    def update(bundle: Map[String, String]): Unit = installed.update(bundle, name)
  }
}

package lab.show

import java.util.concurrent.atomic.AtomicLong

/** The one door through which anything rich leaves a cell: each kernel installs its own.
  *
  * A bundle maps a MIME type to its text; under a type that ends in `json` the text is JSON and reaches the front end as a JSON object.
  * Every bundle holds `text/plain`, for those who cannot see the rest. Call it from the cell's own thread: output of a background thread
  * lands in whatever cell is running.
  */
trait Display {

  /** Publishes `bundle`; with an `id` it can be replaced later. */
  def show(bundle: Map[String, String], id: Option[String]): Unit

  /** Replaces, in place and in whichever cell it stands, what was shown under `id`. */
  def update(bundle: Map[String, String], id: String): Unit
}

object Display {

  /** Where no notebook is listening (tests, forked JVMs), the plain text goes to standard output. */
  private val console: Display = new Display {
    def show(bundle: Map[String, String], id: Option[String]): Unit = println(bundle.getOrElse("text/plain", ""))
    def update(bundle: Map[String, String], id: String): Unit = show(bundle, None)
  }

  @volatile private var door: Display = console
  @volatile private var looked = false
  @volatile private var cells = 0L
  private val ids = new AtomicLong

  /** Called once by the kernel. */
  def install(kernel: Display): Unit = door = kernel

  /** Called by the kernel before each cell. */
  def begin(): Unit = {
    looked = false
    cells += 1
  }

  /** Another number in each cell that is run: for what is to be said once in each. */
  private[lab] def cell: Long = cells

  /** What a kernel lists of the values and functions that the cell defined, given all of it: everything, or, where the cell showed a chart,
    * a table or a panel, only the value that comes last, if it has no name (`res3: Int = 4`): nothing but looking at it can be wanted of
    * that one. One further up is what a call happened to return.
    */
  def listing(all: String): String =
    if (!looked) all
    else {
      val lines = all.linesIterator.toVector
      val last = lines.drop(lines.lastIndexWhere(Entry.matches(_)).max(0))
      last.headOption.filter(Unnamed.findPrefixOf(_).nonEmpty).fold("")(_ => last.mkString("\n"))
    }

  /** The first line of what Ammonite says of a definition; a value may go on for several. */
  private val Entry = "(?:[\\w$]+|`[^`]+`): .* = .*|defined \\w+ .*|import .*".r
  private val Unnamed = "res\\d+(?:_\\d+)?: ".r

  /** A line of text alone says how far something is; whatever else comes is there to be looked at. */
  private def look(bundle: Map[String, String]): Unit = if (bundle.keys.exists(_ != "text/plain")) looked = true

  /** Publishes `bundle`, MIME type by MIME type, under the running cell; elsewhere its plain text is printed. */
  def show(bundle: Map[String, String]): Unit = {
    look(bundle)
    door.show(bundle, None)
  }

  /** Shows `bundle` and returns the handle that replaces it. */
  def updatable(bundle: Map[String, String]): Handle = {
    val id = s"lab-${ProcessHandle.current.pid}-${ids.incrementAndGet()}"
    look(bundle)
    door.show(bundle, Some(id))
    new Handle(id)
  }

  /** What replaces something that was shown. */
  final class Handle private[Display] (name: String) {

    /** Under which the front end knows it. */
    def id: String = name

    /** Puts `bundle` in its place, in whichever cell it stands. */
    def update(bundle: Map[String, String]): Unit = door.update(bundle, name)
  }
}

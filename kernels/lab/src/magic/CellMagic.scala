package lab.magic

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

/** Translates a cell whose first line is `%%name options`, and whose other lines are not Scala for the kernel, into the Scala that runs
  * instead.
  *
  * Both kernels handle magics in the same way: before they compile a cell they call [[CellMagic.translate]], and compile its result.
  */
trait CellMagic {

  /** The word after `%%`. */
  def name: String

  /** Returns the Scala that runs instead of `cell`. It gets the cell's text with `CellMagic.take(cell.id)`, and binds what the magic leaves
    * in the session. That Scala, not this method, reports errors in options or text.
    */
  def scala(cell: MagicCell): String
}

/** A cell that begins with `%%`.
  *
  * @param id      the number under which its text is kept
  * @param options the words after the name; quotes keep words together
  * @param body    the cell's text with an empty line instead of the first, so that its line numbers are the cell's
  */
final case class MagicCell(id: Int, options: Vector[String], body: String)

/** The magics that the kernels know. Thread-safe. */
object CellMagic {
  private val magics = new ConcurrentHashMap[String, CellMagic]
  private val cells = new ConcurrentHashMap[Int, MagicCell]
  private val ids = new AtomicInteger

  /** Registers these magics, each under its `%%name`. A magic replaces an earlier one of the same name. The kernels call this for the
    * magics that they offer.
    */
  def register(known: CellMagic*): Unit = known.foreach(magic => magics.put(magic.name, magic))

  /** Returns whether `code` belongs to one of the magics. */
  def is(code: String): Boolean = find(code).nonEmpty

  /** Returns the Scala that runs instead of `code`; `None` if no magic of that name is registered, or `code` is no magic at all. */
  def translate(code: String): Option[String] = find(code).map { case (magic, options) =>
    val body = code.dropWhile(_ != '\n')
    val cell = MagicCell(ids.incrementAndGet(), MagicOptions.words(options), body)
    cells.put(cell.id, cell)
    magic.scala(cell)
  }

  /** Returns the cell that a translation belongs to, once.
    *
    * @throws java.util.NoSuchElementException if it was taken before
    */
  def take(id: Int): MagicCell =
    Option(cells.remove(id)).getOrElse(throw new NoSuchElementException(s"the text of magic cell $id was used before: run the cell again"))

  private def find(code: String): Option[(CellMagic, String)] = code.linesIterator.nextOption().collect {
    case First(name, options) if magics.containsKey(name) => (magics.get(name), options)
  }
  private val First = "%%(\\w+)(?:\\s+(.*))?".r
}

package lab.magic

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

/** A cell whose first line is `%%name options` and whose other lines are not Scala for the kernel: what stands for it instead.
  *
  * Both kernels know magics in the same way: before a cell is compiled they ask [[CellMagic.translate]], and compile its answer.
  */
trait CellMagic {

  /** The word behind `%%`. */
  def name: String

  /** The Scala that runs instead of `cell`; it gets at the cell's text by `CellMagic.take(cell.id)`, and binds what the magic leaves in the
    * session. Errors in options or text are for that Scala to throw, not for here.
    */
  def scala(cell: MagicCell): String
}

/** A cell that begins with `%%`.
  *
  * @param id      the number under which its text is kept
  * @param options the words behind the name; quotes hold words together
  * @param body    the cell's text with an empty line in place of the first, so that its line numbers are the cell's
  */
final case class MagicCell(id: Int, options: Vector[String], body: String)

/** Thread-safe. */
object CellMagic {
  private val magics = new ConcurrentHashMap[String, CellMagic]
  private val cells = new ConcurrentHashMap[Int, MagicCell]
  private val ids = new AtomicInteger

  /** Makes these magics known, each by its `%%name`; one of the same name is replaced. Called by the kernels, which say what they have. */
  def register(known: CellMagic*): Unit = known.foreach(magic => magics.put(magic.name, magic))

  /** Whether `code` is for one of the magics. */
  def is(code: String): Boolean = find(code).nonEmpty

  /** The Scala that stands for `code`; `None` if no magic of that name is known, or `code` is no magic at all. */
  def translate(code: String): Option[String] = find(code).map { case (magic, options) =>
    val body = code.dropWhile(_ != '\n')
    val cell = MagicCell(ids.incrementAndGet(), MagicOptions.words(options), body)
    cells.put(cell.id, cell)
    magic.scala(cell)
  }

  /** The cell that a translation stands for, once.
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

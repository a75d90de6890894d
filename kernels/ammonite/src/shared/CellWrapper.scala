package ammonite.course

import java.util.concurrent.ConcurrentHashMap

import ammonite.compiler.CodeClassWrapper
import ammonite.compiler.iface.CodeWrapper
import ammonite.util.{ImportData, Imports, Name}
import ammonite.util.Util.CodeSource

/** Wraps every cell in a class, in either kernel. Two things differ from Ammonite's own class wrapper.
  *
  * It puts a cell that starts with `object` into an object, whose initialiser then runs the cell. There, a Future over the cell's own members
  * would wait for that initialiser, and the initialiser for the Future.
  *
  * It also gives every cell a field for each cell whose names are still visible. If a page of a hundred cells runs again, that makes ten
  * thousand fields, and the kernel keeps their classes. This wrapper leaves out what a cell doesn't mention.
  */
object CellWrapper extends CodeWrapper {
  override val wrapperPath: Seq[Name] = CodeClassWrapper.wrapperPath

  /** The cells that may define implicits, which others use without mentioning them. */
  private val withImplicits = ConcurrentHashMap.newKeySet[Name]

  def apply(
      code: String,
      source: CodeSource,
      imports: Imports,
      printCode: String,
      wrapperName: Name,
      extraCode: String
  ): (String, String, Int) = {
    val words = word.findAllIn(s"$code $extraCode").toSet
    if (words("implicit")) { val _ = withImplicits.add(wrapperName) }
    def isNeeded(name: ImportData) =
      words(name.toName.raw) || !word.matches(name.toName.raw) || definedBy(name, source).forall(withImplicits.contains(_))
    CodeClassWrapper("()", source, Imports(imports.value.filter(isNeeded)), printCode, wrapperName, extraCode)
  }

  /** Returns the cell that defined the name, or nothing if it was imported from elsewhere. */
  private def definedBy(name: ImportData, source: CodeSource): Option[Name] =
    Option.when(name.prefix.startsWith(Name("_root_") +: source.pkgName) && name.prefix.endsWith(wrapperPath)) {
      name.prefix.dropRight(wrapperPath.size).last
    }

  private val word = "[\\p{L}\\p{N}_]+".r
}

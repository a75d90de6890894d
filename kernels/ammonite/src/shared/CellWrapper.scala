package ammonite.course

import ammonite.compiler.CodeClassWrapper
import ammonite.compiler.iface.CodeWrapper
import ammonite.util.{Imports, Name}
import ammonite.util.Util.CodeSource

/** Wraps every cell in a class, in either kernel. Ammonite's own class wrapper puts a cell that starts with `object` into an object, whose
  * initialiser then runs the cell. There, a Future over the cell's own members would wait for that initialiser, and the initialiser for the
  * Future.
  */
object CellWrapper extends CodeWrapper {
  override val wrapperPath: Seq[Name] = CodeClassWrapper.wrapperPath
  def apply(
      code: String,
      source: CodeSource,
      imports: Imports,
      printCode: String,
      wrapperName: Name,
      extraCode: String
  ): (String, String, Int) =
    CodeClassWrapper("()", source, imports, printCode, wrapperName, extraCode)
}

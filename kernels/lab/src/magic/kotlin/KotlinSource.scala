package lab.magic.kotlin

/** A cell in the form that the Kotlin compiler gets.
  *
  * @param text   the cell, line by line, with what it needs to be a file of a package
  * @param file   the name of its file, which stack traces show
  * @param facade the class, with its package, that holds the cell's top-level functions and properties
  */
private[kotlin] final case class KotlinSource(text: String, file: String, facade: String)

private[kotlin] object KotlinSource {

  /** The package for cells without one. Every Scala cell is in a package, and code in a package can't see classes without one. */
  private val defaultPackage = "cell"

  /** Completes a cell to a source file.
    *
    * @param body the cell with an empty first line
    * @throws lab.magic.kotlin.KotlinRefused if the cell names its facade, and `--name` does so too
    */
  def apply(body: String, name: Option[String]): KotlinSource = {
    val code = withoutComments(body)
    val own = JvmName.findFirstMatchIn(code).map(_.group(1))
    for (own <- own; name <- name)
      throw new KotlinRefused(
        s"%%kotlin: --name $name, but the cell says @file:JvmName(\"$own\"); a file has one name: remove one of the two"
      )
    val annotation = name.fold("")(name => s"""@file:JvmName("$name") """)
    val packaged = Package.findFirstMatchIn(code).map(_.group(1))
    // The package follows the file's annotations, either on the options' line or where none of the reader's columns moves.
    val at = if (packaged.nonEmpty) body.length else FileAnnotation.findAllMatchIn(code).map(_.end).maxOption.getOrElse(0)
    val header = if (packaged.nonEmpty) "" else s" package $defaultPackage"
    val file = own.orElse(name)
    KotlinSource(
      annotation + body.take(at) + header + body.drop(at),
      s"${file.getOrElse("Cell")}.kt",
      s"${packaged.getOrElse(defaultPackage)}.${file.getOrElse("CellKt")}"
    )
  }

  private val JvmName = """@file:[^\n]*?\bJvmName\s*\(\s*"(\w+)"\s*\)""".r
  private val Package = """(?m)^\s*package\s+([\w.]+)""".r
  private val FileAnnotation = """@file:\s*(?:\[[^\]]*\]|[\w.]+(?:\((?:[^()]|\([^()]*\))*\))?)""".r

  /** Blanks comments, so that every offset stays. */
  private def withoutComments(body: String): String =
    "(?s)/\\*.*?\\*/|//[^\n]*".r.replaceAllIn(body, comment => comment.matched.map(char => if (char == '\n') '\n' else ' '))
}

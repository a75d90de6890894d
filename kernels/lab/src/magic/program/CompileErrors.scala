package lab.magic.program

import lab.magic.MagicCell

/** Returns scalac's errors for a source file, if a page says that the file doesn't compile. It works like a `%%program` cell, in a separate
  * JVM. The source sees Scala and the lab, and nothing of the session.
  *
  * {{{
  * CompileErrors("object Wrong { val x: Int = \"one\" }")   // Vector("line 1: type mismatch;", …)
  * }}}
  *
  * Call it from the cell's own thread.
  */
object CompileErrors {

  /** Returns the lines of the source's errors; none if it compiles.
    *
    * @throws java.lang.InterruptedException if the cell is interrupted
    */
  def apply(source: String): Vector[String] =
    try {
      val _ = ProgramMagic.compile(MagicCell(0, Vector("--name", "snippet"), source))
      Vector.empty
    } catch {
      case refused: ProgramRefused => refused.getMessage.linesIterator.drop(1).toVector
    }
}

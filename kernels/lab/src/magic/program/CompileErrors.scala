package lab.magic.program

import lab.magic.MagicCell

/** What scalac says of a source file of which a page says that it doesn't compile. It works as for a `%%program` cell: in a JVM of its own;
  * the source sees Scala and the lab, and nothing of the session.
  *
  * {{{
  * CompileErrors("object Wrong { val x: Int = \"one\" }")   // Vector("line 1: type mismatch;", …)
  * }}}
  *
  * To be called from the cell's own thread.
  */
object CompileErrors {

  /** The lines of its errors; none if it compiles.
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

package lab.trace

import lab.show.{Display, Markup, Say}

/** A stack trace, frame by frame, innermost first; each frame is `class.method(file:line)`.
  *
  * @param name how the code got there
  */
final case class StackFrames(name: String, frames: Vector[String]) {

  /** Returns how many frames have this origin, one of [[StackFrames.origins]]. */
  def count(origin: String): Int = frames.count(StackFrames.originOf(_) == origin)

  /** Returns the frames that are neither Scala's nor the JDK's. */
  def yours: Vector[String] = frames.filter(StackFrames.originOf(_) == "yours")

  /** Shows the frames under the running cell, folded away, with yours highlighted. */
  def show(): Unit = Display.show(Map("text/plain" -> plain, "text/html" -> html))

  private[trace] def plain: String = (title +: frames.map("  at " + _)).mkString("\n")

  private[trace] def html: String = {
    val lines = frames.map { frame =>
      val text = Markup.escape(frame)
      if (StackFrames.originOf(frame) == "yours") s"<b>$text</b>" else s"""<span style="opacity:.65">$text</span>"""
    }
    s"""<details><summary style="cursor:pointer">${Markup.escape(title)}</summary><pre>${lines.mkString("\n")}</pre></details>"""
  }

  private def title: String =
    s"$name: ${Say.count(frames.size, "frame")}, ${StackFrames.origins.map(origin => s"${count(origin)} $origin").mkString(", ")}"

  override def toString: String = title
}

object StackFrames {

  /** The possible owners of a frame's code. */
  val origins: Vector[String] = Vector("yours", "Scala", "JDK")

  def apply(name: String, thrown: Throwable): StackFrames = StackFrames(
    name,
    thrown.getStackTrace.toVector.map { frame =>
      val place = Option(frame.getFileName).fold("unknown")(file => s"$file:${frame.getLineNumber}")
      s"${frame.getClassName}.${frame.getMethodName}($place)"
    }
  )

  /** Returns the owner of a frame, by its package: `scala.` is Scala's, `java.`, `javax.`, `jdk.` and `sun.` are the JDK's, everything else
    * is yours.
    */
  def originOf(frame: String): String =
    if (frame.startsWith("scala.")) "Scala"
    else if (Seq("java.", "javax.", "jdk.", "sun.").exists(frame.startsWith(_))) "JDK"
    else "yours"
}

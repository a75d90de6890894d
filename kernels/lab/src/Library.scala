package lab

import java.nio.charset.StandardCharsets.UTF_8

import lab.installation.Installation

import scala.util.Using

/** Opens the lab in your own notebook on [[https://almond.sh Almond]], outside the course. Three cells are enough. The first names the
  * folder that `kernels/course library` made:
  *
  * {{{
  * interp.repositories() ++= Seq(coursierapi.MavenRepository.of("file:///…/library"))
  * }}}
  * {{{
  * import \$ivy.`which-thread::lab:0.1.0`, lab.api._
  * }}}
  * {{{
  * repl.load(lab.Library.hooks)
  * }}}
  */
object Library {

  /** Returns the Scala for `repl.load` that binds the lab to this session. Its charts and tables are then shown under the cell, and cells
    * may begin with `%%jmh`. The Scala is compiled here, against the Almond that runs here. It is empty in the course's own kernels, which
    * are already bound.
    *
    * @throws java.lang.IllegalStateException if this isn't an Almond session
    */
  def hooks: String = if (Installation.find.nonEmpty) "" else hooksInto(Thread.currentThread.getContextClassLoader)

  private[lab] def hooksInto(session: ClassLoader): String = {
    if (!has(session, almond))
      throw new IllegalStateException(
        s"the lab shows pictures in Almond, and this session has none ($almond isn't there). `Trace`, `Timeline` and the charts also " +
          "work here, as text. For pictures and `%%jmh`, open the notebook with Almond's kernel, https://almond.sh."
      )
    // Braces keep its names out of the session.
    s"{\n$source\nNotebookHooks.open(kernel)\nNotebookHooks.bring(interp.repositories())\n}"
  }

  /** Reads Almond's own file, without its package, because a session has none. */
  private def source: String = Option(getClass.getResourceAsStream(file)) match {
    case Some(stream) =>
      Using.resource(stream)(in => new String(in.readAllBytes(), UTF_8)).linesIterator.filterNot(_.startsWith("package ")).mkString("\n")
    case None => throw new IllegalStateException(s"this build of the lab has no $file: take the JAR that `kernels/course library` makes")
  }

  private def has(session: ClassLoader, name: String): Boolean =
    try { val _ = Class.forName(name, false, session); true }
    catch { case _: ClassNotFoundException => false }

  private val almond = "almond.api.JupyterApi"
  private val file = "NotebookHooks.scala"
}

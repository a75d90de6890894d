package lab

import java.nio.charset.StandardCharsets.UTF_8

import lab.installation.Installation

import scala.util.Using

/** The lab in a notebook of your own, outside the course that it comes from, on [[https://almond.sh Almond]]. Three cells do it; the first
  * names the folder that `kernels/course library` made:
  *
  * {{{
  * interp.repositories() ++= Seq(coursierapi.MavenRepository.of("file:///…/library"))
  * }}}
  * {{{
  * import \$ivy.`which-thread::lab:0.1.0`, lab.api._
  * }}}
  * {{{
  * repl.load(lab.Library.doors)
  * }}}
  */
object Library {

  /** Scala for `repl.load`, which opens the lab's doors into this session: its charts and tables are shown under the cell, and cells may
    * begin with `%%jmh`. It is compiled here, against the Almond that runs here. Nothing is left to do in the course's own kernels, where
    * the doors stand open.
    *
    * @throws java.lang.IllegalStateException where this session isn't Almond's
    */
  def doors: String = if (Installation.find.nonEmpty) "" else doorsInto(Thread.currentThread.getContextClassLoader)

  private[lab] def doorsInto(session: ClassLoader): String = {
    if (!has(session, almond))
      throw new IllegalStateException(
        s"the lab's doors open into Almond, and this session has none ($almond isn't there). `Trace`, `Timeline` and the charts work here " +
          "too, as text; for pictures and `%%jmh` open the notebook with Almond's kernel, https://almond.sh."
      )
    // Braces keep its names out of the session.
    s"{\n$source\nNotebookDoors.open(kernel)\nNotebookDoors.bring(interp.repositories())\n}"
  }

  /** Almond's own file, without its package: a session has none. */
  private def source: String = Option(getClass.getResourceAsStream(file)) match {
    case Some(stream) =>
      Using.resource(stream)(in => new String(in.readAllBytes(), UTF_8)).linesIterator.filterNot(_.startsWith("package ")).mkString("\n")
    case None => throw new IllegalStateException(s"this build of the lab has no $file: take the JAR that `kernels/course library` makes")
  }

  private def has(session: ClassLoader, name: String): Boolean =
    try { val _ = Class.forName(name, false, session); true }
    catch { case _: ClassNotFoundException => false }

  private val almond = "almond.api.JupyterApi"
  private val file = "NotebookDoors.scala"
}

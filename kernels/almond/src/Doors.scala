package almond.course

import almond.ScalaInterpreter
import ammonite.course.SessionFrame
import lab.SessionClasses

/** The lab's doors into Almond: [[NotebookDoors]], and one that takes more than Almond's API, for classes that no Scala cell defines. */
private object Doors {

  /** To be called before the first cell. */
  def open(interpreter: ScalaInterpreter): Unit = {
    SessionClasses.install((classes, imports) =>
      SessionFrame.define(interpreter.sessApi, interpreter.ammInterp.compilerManager)(classes, imports)
    )
    NotebookDoors.open(interpreter.jupyterApi)
  }
}

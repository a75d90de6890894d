package almond.course

import almond.ScalaInterpreter
import ammonite.course.{JarsOnly, SessionFrame}
import lab.magic.SessionClasses

/** The lab's doors into Almond: [[NotebookDoors]], and one that takes more than Almond's API, for classes that no Scala cell defines. */
private object Doors {

  /** To be called before the first cell. */
  def open(interpreter: ScalaInterpreter): Unit = {
    SessionClasses.install((classes, imports) =>
      SessionFrame.define(interpreter.sessApi, interpreter.ammInterp.compilerManager)(classes, imports)
    )
    // Done by the first cell, because Almond's interpreter starts while the front end already asks.
    lazy val jarsOnly = JarsOnly.fetch(interpreter.ammInterp)
    interpreter.jupyterApi.addExecuteHook { code =>
      jarsOnly
      Right(code)
    }
    NotebookDoors.open(interpreter.jupyterApi)
  }
}

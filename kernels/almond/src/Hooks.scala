package almond.course

import almond.ScalaInterpreter
import ammonite.course.{JarsOnly, SessionFrame}
import lab.magic.SessionClasses

/** Binds the lab to Almond: with [[NotebookHooks]], and with a binding for classes that no Scala cell defines, which needs more than
  * Almond's API.
  */
private object Hooks {

  /** Binds the lab to this interpreter. Call it before the first cell. */
  def open(interpreter: ScalaInterpreter): Unit = {
    SessionClasses.install((classes, imports) =>
      SessionFrame.define(interpreter.sessApi, interpreter.ammInterp.compilerManager)(classes, imports)
    )
    // The first cell does this, because Almond's interpreter starts while the front end already asks.
    lazy val jarsOnly = JarsOnly.fetch(interpreter.ammInterp)
    interpreter.jupyterApi.addExecuteHook { code =>
      jarsOnly
      Right(code)
    }
    NotebookHooks.open(interpreter.jupyterApi)
  }
}

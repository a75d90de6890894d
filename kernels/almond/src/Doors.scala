package almond.course

import almond.ScalaInterpreter
import almond.api.JupyterApi
import almond.interpreter.api.{DisplayData, ExecuteResult}
import ammonite.course.SessionFrame
import lab.{CellMagic, Display, Jmh, Kotlin, ProgramMagic, SessionClasses}

/** The lab's doors into Almond: displays, classes that no Scala cell defines, cells that start with `%%`, what is listed under a cell. */
private object Doors {

  /** To be called before the first cell. */
  def open(interpreter: ScalaInterpreter): Unit = {
    val jupyter = interpreter.jupyterApi
    CellMagic.register(Jmh, Kotlin, ProgramMagic)
    Display.install(displayOf(jupyter))
    SessionClasses.install((classes, imports) =>
      SessionFrame.define(interpreter.sessApi, interpreter.ammInterp.compilerManager)(classes, imports)
    )
    jupyter.addExecuteHook { code =>
      Display.begin()
      Right(CellMagic.translate(code).getOrElse(code))
    }
    val _ = jupyter.addPostRunHook(listed(_))
  }

  private def displayOf(jupyter: JupyterApi): Display = new Display {
    def show(bundle: Map[String, String], id: Option[String]): Unit = jupyter.publish.display(dataOf(bundle, id))
    def update(bundle: Map[String, String], id: String): Unit = jupyter.publish.updateDisplay(dataOf(bundle, Some(id)))
    // Almond has no API for it; the course replaces displays and never clears.
    def clear(wait: Boolean): Unit = ()
  }

  private def dataOf(bundle: Map[String, String], id: Option[String]): DisplayData =
    bundle
      .foldLeft(DisplayData()) { case (data, (mime, text)) =>
        if (mime.endsWith("json")) data.addStringifiedJson(mime, text) else data.add(mime, text)
      }
      .withId(id)

  private def listed(result: ExecuteResult): ExecuteResult = result match {
    case ExecuteResult.Success(data) =>
      val all = data.detailedData.get("text/plain").flatMap(_.asString).getOrElse("")
      val kept = Display.listing(all)
      if (kept == all) result else ExecuteResult.Success(if (kept.isEmpty) DisplayData.empty else DisplayData.text(kept))
    case _ => result
  }
}

package almond.course

import almond.api.JupyterApi
import almond.interpreter.api.{DisplayData, ExecuteResult}
import coursierapi.{Dependency, Fetch, Repository}
import lab.installation.Downloads
import lab.magic.CellMagic
import lab.magic.jmh.Jmh
import lab.magic.kotlin.Kotlin
import lab.magic.program.ProgramMagic
import lab.show.Display

import scala.jdk.CollectionConverters._

/** Binds the lab to Almond, as far as Almond's API for notebooks allows.
  *
  * The lab's artifact includes this source. A notebook outside the course compiles it against the Almond on which the notebook runs
  * (`lab.Library.hooks`). So the source uses nothing of `almond.course`, and of Almond only what a cell may use.
  */
object NotebookHooks {

  /** Binds displays, cells that start with `%%`, and what is listed under a cell. */
  def open(jupyter: JupyterApi): Unit = {
    CellMagic.register(Jmh, Kotlin, ProgramMagic)
    Display.install(displayOf(jupyter))
    jupyter.addExecuteHook { code =>
      Display.begin()
      Right(CellMagic.translate(code).getOrElse(code))
    }
    val _ = jupyter.addPostRunHook(listed(_))
  }

  /** Fetches what `%%jmh` needs and the course doesn't include, from the session's repositories for `import $ivy`. */
  def bring(repositories: => Seq[Repository]): Unit = Downloads.install { modules =>
    val wished = modules.map(_.split(':')).map { case Array(group, artifact, version) => Dependency.of(group, artifact, version) }
    Fetch.create().withRepositories(repositories: _*).addDependencies(wished: _*).fetch().asScala.toSeq.map(_.toPath)
  }

  private def displayOf(jupyter: JupyterApi): Display = new Display {
    def show(bundle: Map[String, String], id: Option[String]): Unit = jupyter.publish.display(dataOf(bundle, id))
    def update(bundle: Map[String, String], id: String): Unit = jupyter.publish.updateDisplay(dataOf(bundle, Some(id)))
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

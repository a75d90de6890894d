package lab.installation

import java.nio.file.Path
import java.time.Instant

import lab.show.Json

import scala.util.Try

/** Which pages this reader opened: those whose preflight ran in JupyterLab. They are added to one file beside the results, `opened.jsonl`,
  * which is never rewritten. A page that runs headless was opened by nobody.
  */
private[lab] object OpenedPages {

  /** @param file the page's file without the ending; a copy under another name says that name */
  final case class Opened(file: String, at: Instant)

  /** Keeps that the page of this kernel was opened, where it is one and JupyterLab started it; where the folder can't be written to, it says
    * so, and nothing else fails.
    */
  def keep(): Unit =
    for {
      folder <- Installation.results
      page <- sys.env.get("JPY_SESSION_NAME").flatMap(pageOf) // by which Jupyter's server tells a kernel its notebook
    } keepOrSay(folder, page)

  def in(folder: Path): Vector[Opened] = JsonLines.read(folder.resolve(fileName)).flatMap { record =>
    Try(Opened(record.get("page").getAsString, Instant.parse(record.get("at").getAsString))).toOption
  }

  private[lab] def keepOrSay(folder: Path, page: String): Unit =
    JsonLines.orSay("That you opened this page couldn't be kept for your progress") {
      JsonLines.append(folder.resolve(fileName))(_ => Json.record("page" -> page, "at" -> Instant.now.toString))
    }

  /** `None` for a notebook that is no page of the course: solutions have the names of their pages. */
  private[lab] def pageOf(notebook: String): Option[String] = notebook.replace('\\', '/') match {
    case Page(folder, name) if !folder.endsWith("/solutions/") => Some(name)
    case _                                                     => None
  }

  private val fileName = "opened.jsonl"
  private val Page = "(.*/)(\\d\\d-[^/]*)\\.ipynb".r
}

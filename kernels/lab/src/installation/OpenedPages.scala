package lab.installation

import java.nio.file.Path
import java.time.Instant

import lab.show.Json

import scala.util.Try

/** Records which pages this reader opened, by their preflight in JupyterLab. It only adds to a file next to the results, `opened.jsonl`,
  * and never rewrites it. A headless run doesn't count, because nobody opened the page.
  */
private[lab] object OpenedPages {

  /** @param file the page's file without its ending. A copy under another name has that name */
  final case class Opened(file: String, at: Instant)

  /** Records that the page of this kernel was opened, if the kernel has a page and JupyterLab started it. If the folder can't be written
    * to, the cell says so, and nothing else fails.
    */
  def keep(): Unit =
    for {
      folder <- Installation.results
      page <- sys.env.get("JPY_SESSION_NAME").flatMap(pageOf) // the variable by which Jupyter's server tells a kernel its notebook
    } keepOrSay(folder, page)

  def in(folder: Path): Vector[Opened] = JsonLines.read(folder.resolve(fileName)).flatMap { record =>
    Try(Opened(record.get("page").getAsString, Instant.parse(record.get("at").getAsString))).toOption
  }

  private[lab] def keepOrSay(folder: Path, page: String): Unit =
    JsonLines.orSay("That you opened this page couldn't be kept for your progress") {
      JsonLines.append(folder.resolve(fileName))(_ => Json.record("page" -> page, "at" -> Instant.now.toString))
    }

  /** Returns the page's name; `None` if the notebook is no page of the course, such as a solution with its page's name. */
  private[lab] def pageOf(notebook: String): Option[String] = notebook.replace('\\', '/') match {
    case Page(folder, name) if !folder.endsWith("/solutions/") => Some(name)
    case _                                                     => None
  }

  private val fileName = "opened.jsonl"
  private val Page = "(.*/)(\\d\\d-[^/]*)\\.ipynb".r
}

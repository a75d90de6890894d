package lab.page

import java.nio.file.{Files, Path}

import com.google.gson.{JsonElement, JsonObject, JsonParser}

import lab.installation.Installation
import lab.results.{Published, Statement}

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

/** The place where a page tries a statement, and what it says there.
  *
  * @param page     the page's file without the ending
  * @param question the heading of the section
  * @param cell     the id of the cell in which the section begins
  * @param why      the page's sentence on why it came out so; empty if it has none
  */
final case class ClaimPlace(page: String, question: String, cell: String, why: String) {

  /** Returns the address for a link on another page. JupyterLab and nbconvert both go to the cell. */
  def address: String = s"$page.ipynb#cell-id=$cell"

  private[page] def link: String = s"[${page.take(2)} · ${question.replace("`", "")}]($address)"
}

/** A page as it is stored, read for what it says about its claims.
  *
  * It asks the predictions whose ids are literals in its code. It tries a statement if its code holds the statement's id and its prose says
  * why. That reason is the one sentence directly before `<!-- why B9.stealing -->`, a mark that no reader sees. (Before a sentence, the
  * mark could begin a line, and Markdown would treat the line as HTML.)
  */
private[page] final class CoursePage(val name: String, cells: Vector[CoursePage.Cell]) {
  import CoursePage._

  /** The statements that the page tries, in the course's order. */
  lazy val statements: Vector[Statement] = Published.statements.filter(one => place(one).nonEmpty)

  /** The page's title, which is its first heading. */
  val title: String = cells.flatMap(cell => Title.findFirstMatchIn(cell.source)).headOption.fold(name)(_.group(1).trim)

  /** The page's exercises, in their order. */
  val exercises: Vector[ExerciseCell] = cells.flatMap(cell => cell.exercise.map(ExerciseCell(_, cell.id)))

  /** The ids of the questions that the page asks before its experiments. */
  val predictions: Vector[String] = cells.filter(_.isCode).flatMap(cell => Predicted.findAllMatchIn(cell.source)).map(_.group(1))

  /** Finds where the page tries this statement; `None` if it doesn't. */
  def place(statement: Statement): Option[ClaimPlace] =
    for (at <- cellOf(statement); why <- why(statement)) yield {
      val begin = (at to 0 by -1).find(index => !cells(index).isCode && Question.findFirstIn(cells(index).source).nonEmpty).getOrElse(0)
      ClaimPlace(name, Question.findFirstMatchIn(cells(begin).source).fold(name)(_.group(1).trim), cells(begin).id, why)
    }

  /** Returns the cell that defines this name at its top level; `None` if none does. */
  def definition(name: String): Option[Cell] = {
    val quoted = java.util.regex.Pattern.quote(name)
    val modifiers = "(?:(?:final|lazy|implicit|private|sealed|abstract|case) )*"
    val defined = s"(?m)^$modifiers(?:(?:def|class|object|trait|type) $quoted\\b|va[lr] [^=\\n]*\\b$quoted\\b[^=\\n]*=)".r
    cells.find(cell => cell.isCode && defined.findFirstIn(cell.source).nonEmpty)
  }

  /** Returns whether the page's code holds the id of this statement. */
  def names(statement: Statement): Boolean = cellOf(statement).nonEmpty

  private def cellOf(statement: Statement): Option[Int] =
    Some(cells.indexWhere(cell => cell.isCode && cell.source.contains(s"\"${statement.id}\""))).filter(_ >= 0)

  private def why(statement: Statement): Option[String] = {
    val mark = s"<!-- why ${statement.id} -->"
    val before = cells.find(cell => !cell.isCode && cell.source.contains(mark)).map(cell => cell.source.take(cell.source.indexOf(mark)))
    before.flatMap(prose => sentences(lastParagraph(prose)).lastOption)
  }
}

private[page] object CoursePage {

  final case class Cell(
      id: String,
      isCode: Boolean,
      source: String,
      tags: Vector[String] = Vector.empty,
      isCollapsed: Boolean = false
  ) {

    /** The id of the exercise that the cell is. Solutions have several cells with such a tag, a page has one for each exercise. */
    def exercise: Option[String] = tags.collectFirst { case s"exercise:$name" => name }
  }

  /** @param cell the cell's id */
  final case class ExerciseCell(id: String, cell: String)

  /** Reads the course's pages, in order. A page that can't be read, perhaps because it is being saved, is left out. */
  def all: Vector[CoursePage] = Installation.find.fold(Vector.empty[CoursePage])(found => in(found.home.resolve("notebooks")))

  def in(folder: Path): Vector[CoursePage] = {
    val files = Using.resource(Files.newDirectoryStream(folder, "[0-9][0-9]-*.ipynb"))(_.asScala.toVector.sorted.filter(isPage))
    files.flatMap(file => Try(read(file)).toOption)
  }

  /** Excludes what a reader put next to the pages, such as `01-execution-context-Copy1` or `01-execution-context.mine-2026-11-23-1130`. */
  private def isPage(file: Path): Boolean = file.getFileName.toString.matches("\\d\\d-[a-z-]+\\.ipynb")

  private[page] def read(file: Path): CoursePage = {
    val cells = JsonParser.parseString(Files.readString(file)).getAsJsonObject.getAsJsonArray("cells").asScala.map(_.getAsJsonObject)
    new CoursePage(
      file.getFileName.toString.stripSuffix(".ipynb"),
      cells.map { cell =>
        val isCode = cell.get("cell_type").getAsString == "code"
        Cell(cell.get("id").getAsString, isCode, text(cell.get("source")), tags(cell), isCollapsed(cell))
      }.toVector
    )
  }

  /** Joins a cell's text, which Jupyter stores as one string or as a list of lines. */
  private def text(source: JsonElement): String =
    if (source.isJsonArray) source.getAsJsonArray.asScala.map(_.getAsString).mkString else source.getAsString

  private def isCollapsed(cell: JsonObject): Boolean =
    Option(cell.getAsJsonObject("metadata").getAsJsonObject("jupyter")).exists(_.has("source_hidden"))

  private def tags(cell: JsonObject): Vector[String] =
    Option(cell.getAsJsonObject("metadata").getAsJsonArray("tags")).fold(Vector.empty[String])(_.asScala.map(_.getAsString).toVector)

  private val Title = "(?m)^# (?:\\d\\d · )?(.+)$".r
  private val Predicted = "\\bPredict\\.\\w+\\(\\s*\"([^\"]+)\"".r
  private val Question = "(?m)^##? (.+)$".r

  private def lastParagraph(prose: String): String = prose.split(Blank).last.linesIterator.filterNot(_.startsWith("#")).mkString("\n")

  private val Blank = "\n\\s*\n"

  /** Splits a paragraph of Markdown into sentences, without its links and its emphasis. */
  private[page] def sentences(paragraph: String): Vector[String] = {
    val plain = paragraph
      .replaceAll("<!--.*?-->", "")
      .replace('\n', ' ')
      .replaceAll("\\[([^\\]]+)\\]\\([^)]*\\)", "$1")
      .replaceAll("(?<![\\w*])\\*{1,2}(?! )([^*]+)(?<! )\\*{1,2}(?![\\w*])", "$1")
    def isEnd(at: Int): Boolean = {
      def before = plain.take(at)
      def inCode = before.count(_ == '`') % 2 == 1
      def inBrackets = before.count(_ == '(') > before.count(_ == ')')
      ".?!".contains(plain(at)) && (at + 1 == plain.length || plain(at + 1).isWhitespace) && !inCode && !inBrackets
    }
    val cuts = 0 +: plain.indices.filter(isEnd).map(_ + 1) :+ plain.length
    cuts.zip(cuts.tail).map { case (from, until) => plain.substring(from, until).trim }.filter(_.nonEmpty).toVector
  }
}

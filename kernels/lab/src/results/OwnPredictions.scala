package lab.results

import java.nio.file.Path
import java.time.Instant

import lab.installation.JsonLines
import lab.show.Json

import scala.util.Try

/** A question that was put to this reader before an experiment.
  *
  * @param kind  `choice`, `number` or `table`
  * @param asked what belongs to the question: its options, its unit, its rows and columns
  */
private[lab] final case class OwnPrediction(question: String, kind: String, asked: (String, Any)*) {

  /** The record of an answer that was given, while nothing has happened yet. */
  def answered(answer: Any): Seq[(String, Any)] = record("answer" -> answer)

  /** The record of what happened.
    *
    * @param answer   `None` where the reader gave none
    * @param happened `None` where the page couldn't tell
    * @param judged   what the page said of the answer; empty without one, and where nobody judges
    * @param right    `None` where nobody judged
    * @param more     what else the page said
    */
  def revealed(
      answer: Option[Any],
      happened: Option[Any],
      judged: String,
      right: Option[Boolean],
      more: Seq[(String, Any)]
  ): Seq[(String, Any)] = {
    val said = answer.map("answer" -> _) ++ happened.map("happened" -> _) ++ Option.when(judged.nonEmpty)("judged" -> judged) ++ right.map(
      "right" -> _
    )
    record(("revealed" -> true) +: (said.toSeq ++ more): _*)
  }

  private def record(told: (String, Any)*): Seq[(String, Any)] = Seq("question" -> question, "kind" -> kind) ++ asked ++ told
}

/** The answers that this reader gave to the predictions of pages, and what happened then: one file beside the reader's results,
  * `predictions.jsonl`, which is never rewritten. An answer has a record when it is given, and one when it is revealed; a question that
  * nobody answered has the second.
  *
  * Any number of kernels may add at once. Nothing is kept outside the course.
  */
private[lab] object OwnPredictions {

  /** Adds a record; where the folder can't be written to, it says so, and nothing else fails. */
  def keep(record: Seq[(String, Any)]): Unit = OwnFolder.ifAny.foreach(keepOrSay(_)(record))

  def keepOrSay(folder: Path)(record: Seq[(String, Any)]): Unit =
    JsonLines.orSay("This prediction couldn't be kept for your class", ". The page goes on without.")(keepIn(folder)(record))

  /** The questions that were answered, each with the number of its page. */
  def answeredIn(folder: Path): Set[(String, String)] = JsonLines
    .read(folder.resolve(OwnFolder.predictions))
    .filter(_.has("answer"))
    .flatMap(record => Try(record.get("page").getAsString -> record.get("question").getAsString).toOption)
    .toSet

  def keepIn(folder: Path)(record: Seq[(String, Any)]): Unit = {
    val mark = Seq("page" -> pageHere, "at" -> Instant.now.toString, "reader" -> OwnFolder.readerIn(folder), "machine" -> OwnFolder.machine)
    JsonLines.append(folder.resolve(OwnFolder.predictions))(_ => Json.record(record ++ mark: _*))
  }

  /** The number of the page that this kernel belongs to, from the file's name that Jupyter tells it; empty where that begins with none. The
    * rest of the name stays here: a reader's copy may bear the reader's name.
    */
  private def pageHere: String = pageOf(sys.env.getOrElse("JPY_SESSION_NAME", ""))

  def pageOf(session: String): String =
    Option(Path.of(session).getFileName).map(_.toString).collect { case Page(number) => number }.getOrElse("")

  private val Page = "(\\d\\d)-.*".r
}

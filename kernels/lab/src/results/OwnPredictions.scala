package lab.results

import java.io.IOException
import java.nio.file.Path
import java.time.Instant

import com.google.gson.{JsonArray, JsonElement, JsonNull, JsonObject, JsonPrimitive}

import lab.installation.JsonLines
import lab.show.Display

import scala.jdk.CollectionConverters._
import scala.util.Try

/** A question that was put to this reader before an experiment.
  *
  * @param kind  `choice`, `number`, `words` or `table`
  * @param asked what belongs to the question: its options, its unit, its rows and columns
  */
private[lab] final case class OwnPrediction(question: String, kind: String, asked: Seq[(String, JsonElement)]) {
  import OwnPredictions.text

  /** The record of an answer that was given, while nothing has happened yet. */
  def answered(answer: JsonElement): JsonObject = record("answer" -> answer)

  /** The record of what happened.
    *
    * @param answer   `None` where the reader gave none
    * @param happened `None` where the page couldn't tell
    * @param judged   what the page said of the answer; empty without one, and where nobody judges
    * @param right    `None` where nobody judged
    * @param more     what else the page said
    */
  def revealed(
      answer: Option[JsonElement],
      happened: Option[JsonElement],
      judged: String,
      right: Option[Boolean],
      more: Seq[(String, JsonElement)]
  ): JsonObject = {
    val said = Option.when(judged.nonEmpty)("judged" -> text(judged)) ++ right.map("right" -> new JsonPrimitive(_))
    val told = answer.map("answer" -> _) ++ happened.map("happened" -> _) ++ said
    record(("revealed" -> new JsonPrimitive(true)) +: (told.toSeq ++ more): _*)
  }

  private def record(told: (String, JsonElement)*): JsonObject = {
    val record = new JsonObject
    (Seq("question" -> text(question), "kind" -> text(kind)) ++ asked ++ told).foreach { case (name, value) => record.add(name, value) }
    record
  }
}

/** The answers that this reader gave to the predictions of pages, and what happened then: one file beside the reader's results,
  * `predictions.jsonl`, which is never rewritten. An answer has a record when it is given, and one when it is revealed; a question that
  * nobody answered has the second.
  *
  * Any number of kernels may add at once. Nothing is kept outside the course.
  */
private[lab] object OwnPredictions {

  /** Adds a record; where the folder can't be written to, it says so, and nothing else fails. */
  def keep(record: JsonObject): Unit = OwnFolder.ifAny.foreach(keepOrSay(_)(record))

  def keepOrSay(folder: Path)(record: JsonObject): Unit =
    try keepIn(folder)(record)
    catch {
      case refused: IOException =>
        Display.show(Map("text/plain" -> s"This prediction couldn't be kept for your class: $refused. The page goes on without."))
    }

  /** The questions that were answered, each with the number of its page. */
  def answeredIn(folder: Path): Set[(String, String)] = JsonLines
    .read(folder.resolve(OwnFolder.predictions))
    .filter(_.has("answer"))
    .flatMap(record => Try(record.get("page").getAsString -> record.get("question").getAsString).toOption)
    .toSet

  def keepIn(folder: Path)(record: JsonObject): Unit = {
    val kept = record.deepCopy
    kept.addProperty("page", pageHere)
    kept.addProperty("at", Instant.now.toString)
    kept.addProperty("reader", OwnFolder.readerIn(folder))
    kept.add("machine", OwnFolder.json(OwnFolder.machine))
    JsonLines.append(folder.resolve(OwnFolder.predictions))(_ => kept)
  }

  /** The number of the page that this kernel belongs to, from the file's name that Jupyter tells it; empty where that begins with none. The
    * rest of the name stays here: a reader's copy may bear the reader's name.
    */
  private def pageHere: String = pageOf(sys.env.getOrElse("JPY_SESSION_NAME", ""))

  def pageOf(session: String): String =
    Option(Path.of(session).getFileName).map(_.toString).collect { case Page(number) => number }.getOrElse("")

  private val Page = "(\\d\\d)-.*".r

  def text(value: String): JsonElement = new JsonPrimitive(value)

  /** `null` where it isn't finite: JSON has no word for that. */
  def number(value: Double): JsonElement =
    if (value.isNaN || value.isInfinite) JsonNull.INSTANCE else new JsonPrimitive(value)

  def texts(values: Iterable[String]): JsonElement = list(values.map(text))

  /** A table's numbers, by the row's name. */
  def rows(values: Iterable[(String, Seq[Double])]): JsonElement = {
    val table = new JsonObject
    values.foreach { case (row, numbers) => table.add(row, list(numbers.map(number))) }
    table
  }

  private def list(values: Iterable[JsonElement]): JsonElement = {
    val list = new JsonArray
    values.asJava.forEach(list.add(_: JsonElement))
    list
  }
}

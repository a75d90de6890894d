package lab.results

import java.nio.file.Path
import java.util.UUID

import lab.installation.{Installation, JsonLines}
import lab.machine.Machine

import scala.collection.immutable.{SortedMap, TreeMap}
import scala.util.Try

/** Where this reader's results, verdicts and predictions are kept, by whom, and on what machine. */
private[lab] object OwnFolder {
  val measured = "measured.jsonl"
  val verdicts = "verdicts.jsonl"
  val predictions = "predictions.jsonl"

  /** What is handed in, in this order (`kernels/command/learner/export.py` has the same). */
  val all: Seq[String] = Seq(measured, verdicts, predictions)

  /** What `COURSE_RESULTS` says, else the course's own; `None` outside a course kernel. */
  def ifAny: Option[Path] = Installation.results

  /** The random name that this clone gave itself with the first thing that it kept; a new one where nothing is kept. */
  def readerIn(folder: Path): String =
    Iterator(measured, predictions)
      .flatMap(name => JsonLines.read(folder.resolve(name)))
      .flatMap(record => Try(record.get("reader").getAsString).toOption)
      .nextOption()
      .getOrElse(s"${UUID.randomUUID}")

  /** This machine, as it stands in what is kept now. */
  def machine: SortedMap[String, String] = {
    val machine = Machine.here()
    TreeMap(
      "cpus" -> machine.cpus.toString,
      "memoryBytes" -> machine.memoryBytes.toString,
      "heapBytes" -> machine.heapBytes.toString,
      "collector" -> machine.collector,
      "jdk" -> machine.jdk,
      "scala" -> machine.scala,
      // Why this kernel is none of a class's business, and may name a folder.
      "kernel" -> machine.kernel.takeWhile(_ != '–').trim,
      "profile" -> machine.profile.name,
      "place" -> machine.place
    ) ++ Machine.load.map(load => "load" -> s"${(load * 100).round / 100.0}")
  }
}

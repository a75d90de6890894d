package lab.results

import java.nio.file.{Files, Path}

import com.google.gson.JsonParser

import lab.installation.Installation

import scala.jdk.CollectionConverters._
import scala.util.Using

/** A setting in which the pages ran outside this reader's session, and the verdict that each statement got there.
  *
  * @param on       the machine, in words
  * @param nextTo   what else ran: `nothing` or `compiler`; empty if nobody noted it
  * @param verdicts the name of the verdict by the statement's id
  */
final case class Setting(on: String, cpus: Int, jdk: Int, nextTo: String, verdicts: Map[String, String])

/** Reads the settings that the course recorded. `data/README.md` describes the files. */
object Setting {

  /** Reads the settings that `kernels/course verdicts --matrix` ran on one machine: numbers of CPUs, JDKs, and next to what. If a page ran
    * several times in a setting, the most frequent verdict counts. It is empty outside the course, or if there is no such file.
    *
    * @throws java.lang.IllegalStateException if the file can't be read; the message says what to do
    */
  def matrix: Vector[Setting] = Installation.find.fold(Vector.empty[Setting])(_ => matrixIn(Recorded.folder.resolve("matrix.csv")))

  /** Reads the results that other readers handed in, one setting for each machine.
    *
    * @throws java.lang.IllegalStateException if a file can't be read; the message says what to do
    */
  def machines: Vector[Setting] = Installation.find.fold(Vector.empty[Setting])(_ => machinesIn(Recorded.folder.resolve("machines")))

  private[results] def matrixIn(file: Path): Vector[Setting] =
    if (!Files.exists(file)) Vector.empty
    else {
      val rows = RecordedRows.read(file).rows.toVector.filter(_("profile") != "smoke") // whose verdicts may stay open
      val settings = rows.groupBy(row => (row("on"), row("cpus").toInt, row("jdk").toInt, row("next_to"))).toVector.sortBy(_._1)
      settings.map { case ((on, cpus, jdk, nextTo), runs) =>
        val reached = for {
          run <- runs
          (column, name) <- columns
          statement <- run(column).split(' ') if statement.nonEmpty
        } yield statement -> name
        Setting(on, cpus, jdk, nextTo, reached.groupMap(_._1)(_._2).view.mapValues(usual).toMap)
      }
    }

  private[results] def machinesIn(folder: Path): Vector[Setting] =
    Option(folder.toFile.list).fold(Vector.empty[String])(_.toVector.sorted).filter(_.endsWith(".jsonl")).map { name =>
      val file = folder.resolve(name)
      try {
        val records = Using.resource(Files.lines(file))(_.iterator.asScala.map(JsonParser.parseString(_).getAsJsonObject).toVector)
        val machine = records.last.getAsJsonObject("machine")
        val verdicts = records.map(one => one.get("statement").getAsString -> one.get("verdict").getAsString).toMap
        Setting(name.stripSuffix(".jsonl"), machine.get("cpus").getAsInt, machine.get("jdk").getAsInt, "", verdicts)
      } catch { case broken: RuntimeException => throw Recorded.broken(file, s"$broken") }
    }

  private val columns =
    Seq("holds" -> "holds", "depends" -> "depends", "does_not_hold" -> "does not hold", "open" -> "not decided here")

  private def usual(names: Seq[String]): String = names.groupBy(identity).maxBy(_._2.size)._1
}

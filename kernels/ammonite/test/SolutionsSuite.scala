package ammonite.course

import java.io.{ByteArrayOutputStream, PrintStream}
import java.nio.file.{Files, Path}

import ammonite.course.Session.Outcome
import com.google.gson.{JsonObject, JsonParser}
import lab.exercises.All
import lab.page.Exercise
import lab.page.Exercise.UntilFirstFailure

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

class EarlySolutionsSuite extends Solutions(_ < 5)
class LateSolutionsSuite extends Solutions(_ >= 5)

/** Tries the exercises as a reader meets them. The stub is the page's cell. Solutions and known cheats are cells of `notebooks/solutions`,
  * each tagged with its exercise. All of them together take minutes, so the early and the late pages are separate suites, and two JVMs run the
  * suites simultaneously.
  */
abstract class Solutions(ofPage: Int => Boolean) extends munit.FunSuite {
  import Solutions._

  override val munitTimeout: Duration = 5.minutes

  private lazy val session = {
    val nowhere = new PrintStream(new ByteArrayOutputStream, true, "UTF-8")
    val opened = new Session(os.Path(sys.props("course.storage"), os.pwd), nowhere, nowhere)
    opened.run("import scala.concurrent._, scala.concurrent.duration._, java.util.concurrent._, java.util.concurrent.atomic._", 1)
    opened
  }
  private val numbers = Iterator.from(2)

  /** Runs a cell, and returns whether the exercise counts as solved afterwards. A cell that only defines leaves no outcome at all. Nor does
    * a cell that isn't judged because the machine was too busy; that cell is tried again.
    */
  private def solves(exercise: Exercise[_], code: String, tries: Int = 6): Boolean = {
    val before = exercise.last
    Console.withOut(new ByteArrayOutputStream)(session.run(code, numbers.next())) match {
      case _: Outcome.Value =>
        val judged = exercise.last.filterNot(outcome => before.exists(_ eq outcome))
        if (judged.isEmpty && tries > 1 && code.contains(".check")) solves(exercise, code, tries - 1) else judged.exists(_.passed)
      case other => fail(s"a value was expected of this cell, not $other:\n$code")
    }
  }

  for (exercise <- All() if ofPage(exercise.id.take(2).toInt)) {
    val own = cells.filter(_.tags(s"exercise:${exercise.id}"))
    def of(kind: String): Vector[Cell] = own.filter(_.tags(kind))
    // Other definitions that its cells use: the page has them long before the stub, the solutions in a cell with this tag.
    lazy val staged = cells.filter(_.tags(s"stage:${exercise.id}")).map(cell => (cell.id, session.run(cell.source, numbers.next())))

    test(s"${exercise.id}: one stub, which fails; one solution or more, which pass") {
      assertEquals(of("stub").size, 1)
      assert(of("solution").nonEmpty, "there is no solution")
      staged.foreach { case (id, outcome) => assert(!outcome.isInstanceOf[Outcome.Failed], s"$id: $outcome") }
      assert(!solves(exercise, of("stub").head.source), "the stub passed")
      for (solution <- of("solution"))
        assert(solves(exercise, solution.source), s"${solution.id}: ${exercise.last.fold("no outcome")(_.seen.mkString("\n"))}")
    }

    test(s"${exercise.id}: no cheat passes") {
      assert(of("cheat").size >= 4, of("cheat").map(_.id))
      sys.props(UntilFirstFailure) = "true"
      try for (cheat <- of("cheat")) assert(!solves(exercise, cheat.source), s"the cheat ${cheat.id} passed")
      finally { sys.props -= UntilFirstFailure; () }
    }
  }

  test("every cell that is tagged with an exercise belongs to one") {
    val known = All().map(exercise => s"exercise:${exercise.id}").toSet
    val tagged = cells.flatMap(_.tags).filter(_.startsWith("exercise:")).toSet
    assertEquals(tagged, known)
  }
}

object Solutions {

  private final case class Cell(id: String, tags: Set[String], source: String)

  /** The tagged cells of all pages and all solutions. */
  private lazy val cells: Vector[Cell] = {
    val folder = Path.of(sys.props("course.home"), "notebooks")
    val books =
      Seq(folder, folder.resolve("solutions")).flatMap(place => Files.list(place).iterator.asScala).filter(_.toString.endsWith(".ipynb"))
    books.flatMap(cellsOf).filter(_.tags.nonEmpty).toVector
  }

  private def cellsOf(book: Path): Seq[Cell] =
    JsonParser.parseString(Files.readString(book)).getAsJsonObject.getAsJsonArray("cells").asScala.toSeq.map(_.getAsJsonObject).map {
      cell =>
        Cell(
          cell.get("id").getAsString,
          tagsOf(cell.getAsJsonObject("metadata")),
          cell.getAsJsonArray("source").asScala.map(_.getAsString).mkString
        )
    }

  private def tagsOf(metadata: JsonObject): Set[String] =
    Option(metadata.getAsJsonArray("tags")).fold(Set.empty[String])(_.asScala.map(_.getAsString).toSet)
}

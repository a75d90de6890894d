package lab.page

import java.nio.file.{Files, Path}

import lab.installation.OpenedPages
import lab.results.{ExerciseAttempt, OwnPrediction, OwnRecords}
import lab.show.Panel

import scala.jdk.CollectionConverters._
import scala.util.Using

class ProgressSuite extends munit.FunSuite {
  import CoursePage.Cell

  private val folder = FunFixture[Path](
    _ => Files.createTempDirectory("progress"),
    { folder =>
      Using.resource(Files.list(folder))(_.iterator.asScala.toVector).foreach(Files.delete(_))
      Files.delete(folder)
    }
  )

  private def page(name: String, cells: Cell*): CoursePage =
    new CoursePage(name, (Cell("title", isCode = false, s"# ${name.take(2)} · What of `it`?") +: cells).toVector)
  private def exercise(id: String): Cell = Cell(s"cell-$id", isCode = true, "def x = ???", Vector(s"exercise:$id", "stub"))
  private val pages = Vector(
    page("00-start-here", exercise("00-name")),
    page(
      "01-contexts",
      Cell("ask", isCode = true, "val a = Predict.choice(\"01-which\", \"which?\", \"a\", \"b\")\n  // Predict.number"),
      Cell("c12", isCode = true, "Claim(\"C12.checked\").must(true)"),
      Cell("why", isCode = false, "So it is.<!-- why C12.checked -->"),
      exercise("01-count"),
      exercise("01-at")
    ),
    page(
      "02-ledger",
      Cell("b1", isCode = true, "Claim(\"B1.as-many-as-cpus\")\nClaim(\"C12.inputs-there\")\nledger.row(\"C12.checked\")"),
      Cell("why", isCode = false, "So are both.<!-- why B1.as-many-as-cpus --><!-- why C12.inputs-there -->")
    )
  )
  private def now(folder: Path): Progress = Progress.of(pages, folder)
  private def said(folder: Path): Map[String, String] = now(folder).panel.facts.toMap
  private def checked(folder: Path)(id: String, passed: Int, of: Int): Unit =
    OwnRecords.keepIn(folder)(ExerciseAttempt.record(id, passed, of))
  private def judged(folder: Path)(statement: String, verdict: Verdict): Unit =
    OwnRecords.keepIn(folder)(Claim(statement).record(verdict))

  folder.test("a reader who has just begun is sent to the first page") { folder =>
    assertEquals(
      said(folder),
      Map(
        "opened in JupyterLab" -> "0 of 3",
        "predictions answered" -> "0 of 1",
        "claims tried" -> "0 of 2",
        "exercises solved" -> "0 of 3",
        "next" -> "open [00 · What of it?](00-start-here.ipynb), where the course begins."
      )
    )
    assert(now(folder).table.rows.forall(row => row(1) == "–" && row(5) == "–"), now(folder).table.plain)
  }

  folder.test("an exercise counts as solved from the first try that passes every case, and progress shows which try that was") { folder =>
    checked(folder)("01-count", 3, 5)
    checked(folder)("01-count", 5, 5)
    checked(folder)("01-count", 4, 5)
    checked(folder)("01-at", 4, 5)
    checked(folder)("00-name", 2, 2)
    assertEquals(said(folder)("exercises solved"), "2 of 3, 1 of them on the first try")
    assertEquals(now(folder).table.rows.map(_.takeRight(2)), Vector(Seq("1 of 1", "1"), Seq("1 of 2", "2; 1 so far"), Seq("–", "–")))
  }

  folder.test("a claim is tried on the page whose statement was judged, and once, on however many pages") { folder =>
    judged(folder)("C12.checked", Verdict.Holds)
    judged(folder)("B1.as-many-as-cpus", Verdict.NotTried("one CPU"))
    judged(folder)("B9.stealing", Verdict.Holds)
    assertEquals(now(folder).table.rows.map(_(3)), Vector("–", "1 of 1", "0 of 2"))
    judged(folder)("C12.inputs-there", Verdict.DoesNotHold("they do"))
    assertEquals((now(folder).table.rows.map(_(3)), said(folder)("claims tried")), (Vector("–", "1 of 1", "1 of 2"), "1 of 2"))
  }

  folder.test("a prediction is answered once, whatever its question says; one that was only revealed is not") { folder =>
    def asked(question: String) = OwnPrediction("01-which", question, "choice")
    OwnRecords.keepIn(folder)(asked("which?").revealed(None, Some("a"), None))
    OwnRecords.keepIn(folder)(OwnPrediction("02-which", "which?", "choice").answered("a"))
    assertEquals(said(folder)("predictions answered"), "0 of 1")
    OwnRecords.keepIn(folder)(asked("which?").answered("a"))
    OwnRecords.keepIn(folder)(asked("which, in other words?").revealed(Some("a"), Some("a"), Some(true)))
    assertEquals((said(folder)("predictions answered"), now(folder).pages.map(_.answered)), ("1 of 1", Vector(0, 1, 0)))
  }

  folder.test("a page is opened if its preflight ran in JupyterLab, even under the name of a copy") { folder =>
    for (file <- Seq("01-contexts.mine-2026-11-23-1130", "99-none", "01-contexts")) OpenedPages.keepOrSay(folder, file)
    assertEquals(now(folder).pages.map(_.opened.nonEmpty), Vector(false, true, false))
    assertEquals(now(folder).pages(1).opened, Some(OpenedPages.in(folder).last.at))
  }

  test("a page is distinguished from a solution and from other files, also on Windows") {
    assertEquals(OpenedPages.pageOf("/home/me/course/notebooks/01-contexts.ipynb"), Some("01-contexts"))
    assertEquals(OpenedPages.pageOf("C:\\course\\notebooks\\01-contexts.ipynb"), Some("01-contexts"))
    for (other <- Seq("/course/notebooks/solutions/01-contexts.ipynb", "/course/notebooks/Untitled.ipynb", "console-1-abc"))
      assertEquals(OpenedPages.pageOf(other), None, other)
  }

  folder.test("if it can't be kept, the page goes on and says so") { folder =>
    val inTheWay = Files.createFile(folder.resolve("results"))
    val text = ClaimSuite.shown(OpenedPages.keepOrSay(inTheWay, "01-contexts"))
    assert(text.contains("couldn't be kept for your progress") && text.contains("results"), text)
  }

  folder.test("next is an exercise of the page opened last, or the page after it, then anything left out") { folder =>
    def next: String = now(folder).next
    OpenedPages.keepOrSay(folder, "01-contexts")
    OpenedPages.keepOrSay(folder, "00-start-here") // as if the reader looks at the panel there
    assertEquals(next, "try [exercise 01-count](01-contexts.ipynb#cell-id=cell-01-count), or open [02 · What of it?](02-ledger.ipynb)")
    checked(folder)("01-count", 3, 5)
    assert(next.startsWith("go on with [exercise 01-count](01-contexts.ipynb#cell-id=cell-01-count): of your 1 try, none"), next)
    checked(folder)("01-count", 5, 5)
    checked(folder)("01-at", 5, 5)
    assertEquals(next, "open [02 · What of it?](02-ledger.ipynb)")
    OpenedPages.keepOrSay(folder, "02-ledger")
    assertEquals(next, "try [exercise 00-name](00-start-here.ipynb#cell-id=cell-00-name)")
    checked(folder)("00-name", 2, 2)
    assert(next.startsWith("nothing is left to do: see [02 · What of it?](02-ledger.ipynb) for what still holds"), next)
    assertEquals(now(folder).panel.mark, Panel.Good)
  }

  folder.test("a terminal shows where links lead, as paths; the table has words alone") { folder =>
    OpenedPages.keepOrSay(folder, "01-contexts")
    val text = Progress.told(now(folder))
    assert(
      text.contains("try exercise 01-count (notebooks/01-contexts.ipynb), or open 02 · What of it? (notebooks/02-ledger.ipynb)."),
      text
    )
    assert(text.contains("\n  page 00 · What of it?  "), text)
  }

  test("the course's own pages have titles, and the exercises that it lists, each on its page") {
    val stored = CoursePage.all
    assertEquals(stored.map(_.name.take(2)), stored.indices.map(n => f"$n%02d").toVector)
    assertEquals(stored(5).title, "What if nobody switches threads?")
    assertEquals(stored.flatMap(_.exercises.map(_.id)).sorted, lab.exercises.All().map(_.id).sorted.toVector)
    assert(stored.forall(page => page.exercises.forall(_.id.startsWith(page.name.take(2)))))
    val asked = for { page <- stored; id <- page.predictions } yield (id, page.name)
    assertEquals(asked.filterNot { case (id, page) => id.startsWith(page.take(2) + "-") }, Vector.empty[(String, String)])
    assertEquals(asked.groupBy(_._1).filter(_._2.size > 1).keySet, Set.empty[String], "a prediction is asked once")
  }
}

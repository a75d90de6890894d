package lab.page

import lab.results.Published

class CoursePageSuite extends munit.FunSuite {
  import CoursePage.{sentences, Cell}

  private def page(cells: (String, String)*): CoursePage = new CoursePage(
    "07-page",
    cells.zipWithIndex.map { case ((kind, source), at) => Cell(s"cell-$at", kind == "code", source) }.toVector
  )

  private val whole = page(
    "prose" -> "# 07 · A page\n\nB2 is spoken of, \"B9.stealing\" too<!-- why B9.stealing -->; neither is tried here.",
    "prose" -> "## Who starts?\n\nText.",
    "code" -> "Claim(\"B1.as-many-as-cpus\").must(1 == 1)\nledger.row(\"B3.fixed-pool\")",
    "prose" -> ("Something. Spares *come* (`tryCompensate`, JDK 25. Really) with [links](x.ipynb).<!-- why B2.more-than-cpus --> More.\n\n" +
      "### Why\nFirst.<!-- why B1.as-many-as-cpus --> Second."),
    "prose" -> "## Who goes?",
    "code" -> "for (id <- Seq(\"B2.more-than-cpus\", \"B2.more-at-once\")) Claim(id).must(true)",
    "prose" -> "### Why, twice\nBecause\nof this.<!-- why B2.more-at-once --> And that.",
    "code" -> "val a = Predict.number(\"07-a\", \"How?\")\nval b = Predict.table(\n  \"07-b\", s\"$a?\", Nil, Nil)\n// Predict.choice, later"
  )
  private def place(id: String): Option[ClaimPlace] = whole.place(Published.statement(id))

  test("the statements whose ids stand in its code, in the course's order, and no others; likewise the predictions") {
    assertEquals(whole.statements.map(_.id), Vector("B1.as-many-as-cpus", "B2.more-at-once", "B2.more-than-cpus"))
    assertEquals((place("B9.stealing"), place("B3.fixed-pool")), (None, None))
    assertEquals(whole.predictions, Vector("07-a", "07-b"))
  }

  test("a name that the session lacks: the cell that defines it, and that it is collapsed") {
    val hidden =
      "import a.B\nfinal case class Layout(name: String)\nlazy val (few, all) = (1, 2)\n  val inside = 3\ndef use(few: Int) = few"
    val shown = "val most = few\nlayout.few == 1"
    val course = new CoursePage("03-page", Vector(Cell("a", isCode = true, hidden, isCollapsed = true), Cell("b", isCode = true, shown)))
    assertEquals(
      Seq("Layout", "few", "use", "most", "inside", "B", "name").map(course.definition(_).map(_.id)),
      Seq(Some("a"), Some("a"), Some("a"), Some("b"), None, None, None)
    )
    assertEquals(
      Undefined.in(course, Vector("few", "Layout", "other")),
      Vector(
        "The collapsed cell that begins with `import a.B` defines `Layout` and `few`, and hasn't run. " +
          "Choose Run ▸ Run All Above Selected Cell."
      )
    )
    val report = "cell 3: not found: type Standing\nval all: Seq[Standing]"
    assertEquals(
      Undefined.explain(report, Some("/x/notebooks/03-isolating-blocking-code.ipynb")).map(_.contains("`Standing`")),
      Vector(true)
    )
    assertEquals(Undefined.explain(report, Some("/x/notebooks/solutions/03-isolating-blocking-code.ipynb")), Vector.empty)
    assertEquals(Undefined.explain(report, None), Vector.empty)
  }

  test("the section's heading and first cell are a statement's place") {
    val found = place("B1.as-many-as-cpus").get
    assertEquals((found.question, found.cell, found.address), ("Who starts?", "cell-1", "07-page.ipynb#cell-id=cell-1"))
    assertEquals(place("B2.more-at-once").map(_.question), Some("Who goes?"))
  }

  test("why: the marked sentence, wherever on the page") {
    assertEquals(place("B1.as-many-as-cpus").map(_.why), Some("First."))
    assertEquals(place("B2.more-than-cpus").map(_.why), Some("Spares come (`tryCompensate`, JDK 25. Really) with links."))
    assertEquals(place("B2.more-at-once").map(_.why), Some("Because of this."))
  }

  test("a mark belongs to the sentence before it, never to a heading") {
    val page = this.page("code" -> "Claim(\"B3.fixed-pool\")", "prose" -> "### Here\nAnd *there*.<!-- why B3.fixed-pool --> No.")
    assertEquals(page.place(Published.statement("B3.fixed-pool")).map(_.why), Some("And there."))
  }

  test("a sentence ends at a point, not within code, brackets or a number") {
    assertEquals(sentences("JDK 25.0.2 asks `a. b`! Then."), Vector("JDK 25.0.2 asks `a. b`!", "Then."))
    assertEquals(sentences("one\ntwo"), Vector("one two"))
    assertEquals(sentences("**Why eight?** It<!-- why F3.eight --> says so."), Vector("Why eight?", "It says so."))
    assertEquals(sentences("1 * 2 * 3 is six. Good.").head, "1 * 2 * 3 is six.")
    assertEquals(sentences(""), Vector.empty[String])
  }
}

package lab.page

class CoursePageSuite extends munit.FunSuite {
  import CoursePage.{sentences, Cell}

  private def page(cells: (String, String)*): CoursePage = new CoursePage(
    "07-page",
    cells.zipWithIndex.map { case ((kind, source), at) => Cell(s"cell-$at", kind == "code", source) }.toVector
  )

  private val whole = page(
    "prose" -> "# 07 · A page\n\nB1 is spoken of, not tried.",
    "prose" -> "## Who starts?\n\nText.",
    "code" -> "Claim(\"B1\", \"as many \" +\n  s\"as CPUs\").must(1 == 1)",
    "prose" -> "Something. Spares *come* (`tryCompensate`, JDK 25. Really) with [links](x.ipynb).<!-- why B2: more --> More.\n\n### Why\nFirst. Second.",
    "prose" -> "## Who goes?",
    "code" -> "Claim(\n  \"B2\", \"more start\").must(true)\nClaim(\"B2\", \"fewer go\").must(true)",
    "prose" -> "### Why, twice\nBecause\nof this. And that."
  )

  test("the claims that it tries, and no others") {
    assertEquals(whole.claims, Vector("B1", "B2"))
    assertEquals(whole.place("B9", "anything"), None)
  }

  test("a claim is found by its sentence, in however many strings it is written; the section's heading and first cell are its place") {
    val found = whole.place("B1", "as many as CPUs").get
    assertEquals((found.question, found.cell, found.address), ("Who starts?", "cell-1", "07-page.ipynb#cell-id=cell-1"))
    assertEquals(whole.place("B2", "fewer go").map(_.question), Some("Who goes?"))
    assertEquals(whole.place("B1", "as few as CPUs"), None)
    assertEquals(whole.place("B1", "many as CPUs"), None) // the end of another sentence
    assertEquals(whole.position("B1", "as many as CPUs").map(_._1), Some(2))
    assertEquals(whole.position("B2", "more start").map(_._1), Some(5))
    assert(whole.position("B2", "more start").zip(whole.position("B2", "fewer go")).exists { case (one, other) => one._2 < other._2 })
  }

  test("of a claim, where anything of it is tried first") {
    assertEquals((whole.place("B2").map(_.cell), whole.place("B9")), (Some("cell-4"), None))
  }

  test("why: the marked sentence, wherever on the page; else the first one under the section's own Why") {
    assertEquals(whole.place("B1", "as many as CPUs").map(_.why), Some("First."))
    assertEquals(whole.place("B2", "more start").map(_.why), Some("Spares come (`tryCompensate`, JDK 25. Really) with links."))
    assertEquals(whole.place("B2", "fewer go").map(_.why), Some("Because of this."))
  }

  test("a mark speaks of the sentence before it, of no heading") {
    val page = this.page("code" -> "Claim(\"B1\", \"few\").must(true)", "prose" -> "### Here\nAnd *there*.<!-- why B1: few --> No.")
    assertEquals(page.place("B1", "few").map(_.why), Some("And there."))
  }

  test("a sentence ends at a point, not within code, brackets or a number") {
    assertEquals(sentences("JDK 25.0.2 asks `a. b`! Then."), Vector("JDK 25.0.2 asks `a. b`!", "Then."))
    assertEquals(sentences("one\ntwo"), Vector("one two"))
    assertEquals(sentences("**Why eight?** It<!-- why F3 --> says so."), Vector("Why eight?", "It says so."))
    assertEquals(sentences("1 * 2 * 3 is six. Good.").head, "1 * 2 * 3 is six.")
    assertEquals(sentences(""), Vector.empty[String])
  }
}

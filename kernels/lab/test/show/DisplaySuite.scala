package lab.show

class DisplaySuite extends munit.FunSuite {
  private val listed =
    """started: Int = 2
      |defined function reach
      |spans: Vector[Int] = Vector(
      |  1,
      |  2
      |)
      |res4_3: Vector[Int] = Vector(
      |  3
      |)
      |defined class Task
      |`odd name`: String = "x = y"
      |res4_6: Int = 5""".stripMargin
  private val unnamed = "res4_6: Int = 5"

  private def after(shown: => Unit): String = {
    Display.begin()
    shown
    Display.listing(listed)
  }

  test("a cell that showed nothing, or only its progress, lists all that it defined") {
    assertEquals(after(()), listed)
    assertEquals(after(Display.show(Map("text/plain" -> "half done"))), listed)
    assertEquals(after(Display.updatable(Map("text/plain" -> "half done")).update(Map("text/plain" -> "done"))), listed)
  }

  test("a cell that showed a chart, a table or a panel lists only the last value, if it has no name") {
    assertEquals(after(Table("caption", Seq("a"), Seq(Seq("1"))).show()), unnamed)
    assertEquals(after(Display.show(Map("text/plain" -> "x", "application/vnd.plotly.v1+json" -> "{}"))), unnamed)
    assertEquals(after { val _ = Display.updatable(Map("text/plain" -> "x", "text/html" -> "<b>x</b>")) }, unnamed)
    assertEquals(Display.listing("val: Int = 3"), "")
    assertEquals(Display.listing("res4_3: Boolean = true\nmore: Int = 3"), "")
    assertEquals(Display.listing("more: Int = 3\nres4_3: Vector[Int] = Vector(\n  3\n)"), "res4_3: Vector[Int] = Vector(\n  3\n)")
    assertEquals(Display.listing(""), "")
  }
}

package ammonite.course

class NamesSuite extends munit.FunSuite {

  test("the name at the cursor, just before it, or in front of the open parenthesis") {
    val code = "alpha(beta(1), gamma)"
    assertEquals(Inspection.nameAt(code, 2), Some(0))
    assertEquals(Inspection.nameAt(code, 5), Some(0))
    assertEquals(Inspection.nameAt(code, 8), Some(6))
    assertEquals(Inspection.nameAt(code, 14), Some(0))
    assertEquals(Inspection.nameAt("  ", 1), None)
  }

  test("the Scaladoc in front of a definition, without its stars") {
    val source =
      "/** Not this one. */\nobject Other\n\n/**\n * What it is.\n *\n * More.\n */\nfinal case class Thing(a: Int) {\n  /** The sum. */\n  def sum = a\n}"
    assertEquals(Scaladoc.before(source, "Thing"), Some("What it is.\n\nMore."))
    assertEquals(Scaladoc.before(source, "sum"), Some("The sum."))
    assertEquals(Scaladoc.before(source, "absent"), None)
  }

  test("text reaches the cell whole, even when a character is written in two pieces") {
    val text = new StringBuilder
    val stream = new CellStream(new RunningCell, piece => { val _ = text.append(piece) })
    val bytes = "a€b".getBytes("UTF-8")
    bytes.foreach(byte => stream.write(byte.toInt))
    assertEquals(text.toString, "a€b")
  }
}

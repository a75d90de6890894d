package ammonite.course

class NamesSuite extends munit.FunSuite {

  test("the name at the cursor, just before it, or before the open parenthesis") {
    val code = "alpha(beta(1), gamma)"
    assertEquals(Inspection.nameAt(code, 2), Some(0))
    assertEquals(Inspection.nameAt(code, 5), Some(0))
    assertEquals(Inspection.nameAt(code, 8), Some(6))
    assertEquals(Inspection.nameAt(code, 14), Some(0))
    assertEquals(Inspection.nameAt("  ", 1), None)
  }

  test("at a named argument, the name of the called method") {
    val code = "alpha(beta, gamma = 2)"
    assertEquals(Inspection.nameAt(code, 14), Some(0))
    assertEquals(Inspection.nameAt(code, 8), Some(6))
    assertEquals(Inspection.nameAt("alpha(gamma == 2)", 8), Some(6))
    assertEquals(Inspection.nameAt("alpha(gamma => 2)", 8), Some(6))
    assertEquals(Inspection.nameAt("alpha { val gamma = 2 }", 14), Some(12))
  }

  test("a comment without its asterisks, with its indentation") {
    assertEquals(
      Scaladoc.text("/**\n * What it is.\n *\n * {{{\n * if (so)\n *   more\n * }}}\n */"),
      "What it is.\n\n{{{\nif (so)\n  more\n}}}"
    )
    assertEquals(Scaladoc.text("/** The sum. */"), "The sum.")
    assertEquals(Scaladoc.text("/** By `import \\$ivy`. */"), "By `import $ivy`.")
  }

  test("what a comment says about one parameter, on any number of lines") {
    val text = "What it is.\n\n@param a    the first,\n            not the last\n@param ab the second\n@throws Exception never"
    assertEquals(Scaladoc.parameter(text, "a"), Some("the first, not the last"))
    assertEquals(Scaladoc.parameter(text, "ab"), Some("the second"))
    assertEquals(Scaladoc.parameter(text, "b"), None)
  }

  test("text reaches the cell whole, even when a character is written in two pieces") {
    val text = new StringBuilder
    val stream = new CellStream(new RunningCell, piece => { val _ = text.append(piece) })
    val bytes = "a€b".getBytes("UTF-8")
    bytes.foreach(byte => stream.write(byte.toInt))
    assertEquals(text.toString, "a€b")
  }
}

package lab.magic.program

class CompileErrorsSuite extends munit.FunSuite {

  test("source that doesn't compile is reported with its line, other source has no errors") {
    assume(sys.props.contains("course.home"), "this is no kernel of the course")
    val wrong = CompileErrors("object Wrong {\n  val x: Int = \"one\"\n}")
    assert(wrong.exists(line => line.contains("line 2") && line.contains("type mismatch")), wrong.mkString("\n"))
    assertEquals(CompileErrors("object Right { val x: Int = 1 }"), Vector.empty)
  }
}

package ammonite.course

import java.io.{ByteArrayOutputStream, PrintStream}

import ammonite.course.Session.{Completeness, Outcome}

class SessionSuite extends munit.FunSuite {

  private val printed = new ByteArrayOutputStream
  private lazy val session = {
    val stream = new PrintStream(printed, true, "UTF-8")
    val storage = sys.props.get("course.storage").fold(os.temp.dir())(os.Path(_, os.pwd))
    new Session(storage, stream, stream)
  }
  private val numbers = Iterator.from(1)

  private def run(code: String): Outcome = session.run(code, numbers.next())
  private def value(code: String): String = run(code) match {
    case Outcome.Value(text) => text
    case other               => fail(s"expected a value of $code, but got $other")
  }
  private def refused(code: String): Outcome.Failed = run(code) match {
    case failed: Outcome.Failed => failed
    case other                  => fail(s"expected $code to be refused, but got $other")
  }
  private def thrown(code: String): Throwable = run(code) match {
    case Outcome.Thrown(thrown) => thrown
    case other                  => fail(s"expected $code to throw, but got $other")
  }

  test("each result is on a separate line") {
    assertEquals(value("val a = 1\nval b = \"x\"\nb -> a").linesIterator.toList.map(_.takeWhile(_ != ':')).take(2), List("a", "b"))
    assertEquals(value("val c = 1\nval d = 2"), "c: Int = 1\nd: Int = 2")
  }

  test("the records of a `val` are cut to three lines, an expression's are shown") {
    val records = "(1 to 9).map(n => (n, \"x\" * 40))"
    assertEquals((value(s"val all = $records").linesIterator.size, value(records).linesIterator.size), (3, 11))
    assert(value(s"val all = $records").endsWith("..."))
  }

  test("imports, definitions of Unit and empty cells print nothing") {
    assertEquals(value("import scala.concurrent._, duration._"), "")
    assertEquals(value("()"), "")
    assertEquals(value(""), "")
    assertEquals(value("// only a comment"), "")
  }

  test("a cell sees what earlier cells defined, and redefines it") {
    value("def twice(n: Int) = 2 * n")
    assert(value("twice(21)").endsWith("Int = 42"))
    value("def twice(n: Int) = 3 * n")
    assert(value("twice(21)").endsWith("Int = 63"))
  }

  /** Runs the cells in turn, and returns the number of the first. */
  private def begin(cells: String*): Int = {
    val first = numbers.next()
    cells.zipWithIndex.foreach { case (code, index) =>
      val outcome = session.run(code, if (index == 0) first else numbers.next())
      assert(outcome.isInstanceOf[Outcome.Value], s"$code: $outcome")
    }
    first
  }

  test("a cell has a field for each cell that it needs, and for no other") {
    val first = begin(
      "val one = 1",
      "implicit val two: List[Char] = List('2')",
      "implicit class Three(text: String) { def thrice: String = text * 3 }",
      "val `number four` = 4; val +++ = 5",
      "object Six { implicit val six: Vector[Int] = Vector(6) }",
      "import Six._",
      "val seven = 7; def eight = one + 7"
    )
    val using = begin(
      "def all = (one, `number four`, +++, implicitly[List[Char]], \"a\".thrice, implicitly[Vector[Int]])\n" +
        "val fields = getClass.getEnclosingClass.getDeclaredFields.map(_.getName).toList"
    )
    assertEquals(value("all").dropWhile(_ != '='), "= (1, 4, 5, List('2'), \"aaa\", Vector(6))")
    val cells = Iterator.from(first).takeWhile(_ < using).map(CellName.wrapper(_)).toList
    assertEquals(cells.map(cell => value(s"fields.contains(\"$cell\")").endsWith("true")), List(true, true, true, true, true, false, false))
    assert(value("s\"10 and $eight\"").endsWith("\"10 and 8\""))
  }

  private val dots = "case class Dot(x: Int, y: Int)\ndef zero = Dot(0, 0)"

  test("mixing a class with its redefinition is reported in one line, with the cell to run again; then it works") {
    val first = begin(dots, "val one = Seq(Dot(1, 2))\ndef sum(dot: Dot) = dot.x + dot.y", "val unused = one.size", dots)
    val mix = "val all: Seq[Dot] = one ++ Seq(zero)\nall.map(sum)\none.map { case Dot(x, _) => sum(Dot(x, 3)) }"
    val whose = s"cell ${first + 1}"
    assertEquals(
      refused(mix).report,
      s"`Dot` was defined again, by cell ${first + 3}; what $whose made still belongs to the earlier one. Run $whose again, then this one."
    )
    begin("val one = Seq(Dot(1, 2))\ndef sum(dot: Dot) = dot.x + dot.y")
    assert(value(mix).contains("List(4)"))
  }

  test("several cells are named in their order, with those from which the named ones were made") {
    val first = begin(dots, "val few = Seq(Dot(1, 2))", "val other = zero", "val more = few ++ few", "val far = more.size", dots, dots)
    val report = refused("val newer: Seq[Dot] = more").report
    val cells = s"cells ${first + 1} and ${first + 3}"
    assert(report.startsWith(s"`Dot` was defined again, by cell ${first + 6}; what $cells made still belongs"), report)
    assert(report.endsWith(s"Run $cells again, in this order, then this one."), report)
  }

  test("the compiler's other messages stay") {
    val first = begin("class Case(val n: Int)", "val old = new Case(1)", "class Case(val n: Int)")
    val lines = refused("val mine: Case = old\nval wrong: Int = \"a\"").report.linesIterator.toVector
    assert(lines(0).startsWith(s"`Case` was defined again, by cell ${first + 2};"), lines.mkString("\n"))
    assert(lines(1).contains("line 2: type mismatch"), lines.mkString("\n"))
    assertEquals(lines.count(_.contains("type mismatch")), 1)
  }

  test("if the compiler lost the older class on the way, the line comes before its message") {
    begin(dots, "val pair = Seq(Dot(1, 2))", dots)
    val lines = refused("val both: Seq[Dot] = pair :+ zero").report.linesIterator.toVector
    assert(lines(0).startsWith("`Dot` was defined again"), lines.mkString("\n"))
    assert(lines.exists(_.contains("type mismatch")), lines.mkString("\n"))
  }

  test("a class within an object that was defined again, and an alias of one") {
    val first = begin("object Nest { class Egg }", "val egg = new Nest.Egg\ntype Mine = Nest.Egg", "object Nest { class Egg }")
    val told = s"`Nest` was defined again, by cell ${first + 2}; what cell ${first + 1} made"
    assert(refused("val same: Nest.Egg = egg").report.startsWith(told))
    assert(refused("val same: Mine = new Nest.Egg").report.startsWith(told))
  }

  test("a mistake that has nothing to do with a redefinition is reported as it is") {
    begin(dots, "val spot = Dot(1, 2)", dots, "val place = Dot(1, 2)")
    assert(!refused("place.z").report.contains("again"))
    assert(!refused("val n: Int = zero").report.contains("again"))
    assert(!refused("val n: Int = place").report.contains("again"))
  }

  test("a compile error names the cell's own line and points at the place") {
    val report = refused("val good = 1\n\n// a comment\nval bad: Int = good + missing").report.linesIterator.toVector
    assert(report(0).contains("line 4: not found: value missing"), report(0))
    assertEquals(report(1), "val bad: Int = good + missing")
    assertEquals(report(2).indexOf('^'), report(1).indexOf("missing"))
  }

  test("the caret points into the line as it was written, not as Ammonite names it") {
    val report = refused("1\nList(1).mapp(_ + 1)").report.linesIterator.toVector
    val at = report.indexWhere(_.startsWith("List(1)"))
    assertEquals(report(at), "List(1).mapp(_ + 1)")
    assertEquals(report(at + 1).indexOf('^'), report(at).indexOf("mapp"))
  }

  test("an unclosed bracket is a compile error with a word of advice") {
    val failed = refused("val x = List(1, 2")
    assertEquals(failed.name, "CompileError")
    assert(failed.report.nonEmpty)
  }

  test("a failed cell leaves the session as it was") {
    value("val kept = 7")
    refused("val kept = nowhere")
    thrown("val kept = sys.error(\"no\"): Int")
    assert(value("kept").endsWith("Int = 7"))
  }

  test("frames point at cell and line, and end where the kernel begins") {
    val number = numbers.next()
    session.run("def inner(n: Int): Int = if (n == 0) sys.error(\"boom\") else inner(n - 1) + 1", number)
    val frames = Report.frames(thrown("\nList(1).map(_ => inner(3))"))
    assert(frames.exists(_.contains(s"at inner (cell $number, line 1) × 4")), frames.mkString("\n"))
    assert(frames.last.contains("line 2)"), frames.mkString("\n"))
    assert(!frames.exists(_.contains("ammonite")), frames.mkString("\n"))
    assert(frames.sizeIs < 12, frames.mkString("\n"))
  }

  test("the cause is reported, once, even if it is its own cause's cause") {
    val inner = new IllegalStateException("inner")
    val outer = new RuntimeException("outer", inner)
    inner.initCause(outer)
    val lines = Report.of(outer).lines
    assertEquals(lines.count(_.contains("inner")), 1)
    assertEquals(lines.count(_.contains("outer")), 1)
  }

  test("a stack overflow and a full heap leave the session alive") {
    assert(thrown("def down(n: Int): Int = 1 + down(n + 1)\ndown(0)").isInstanceOf[StackOverflowError])
    assert(thrown("val all = Iterator.continually(new Array[Long](10000000)).toList").isInstanceOf[OutOfMemoryError])
    assert(value("1 + 1").endsWith("Int = 2"))
  }

  test("a cell that starts with object and runs Futures over its own members ends") {
    val code =
      """object Members { val one = 1 }
        |import scala.concurrent._, duration._
        |Await.result(Future(Members.one)(ExecutionContext.global), 20.seconds)""".stripMargin
    assert(value(code).endsWith("Int = 1"))
  }

  test("exit does not end the JVM") {
    assertEquals(run("exit"), Outcome.Exit)
  }

  test("completion knows members, names of earlier cells and names of this cell") {
    value("import scala.concurrent._, duration._")
    value("val elephants = 3")
    assertEquals(session.complete("List(1).mapC", 12), (8, Seq("mapConserve")))
    assertEquals(session.complete("1 + eleph", 9), (4, Seq("elephants")))
    assertEquals(session.complete("val giraffes = 4\ngiraf", 22), (17, Seq("giraffes")))
  }

  test("completion lists words, then operators, and last what every value or case class has") {
    value("final case class Crane(wings: Int) { def ->(to: String) = to; def !!(n: Int) = n }")
    val names = session.complete("Crane(2).", 9)._2
    assertEquals(names.take(3), Seq("copy", "wings", "!!"))
    assert(Seq("!=", "==", "asInstanceOf", "canEqual", "productArity", "toString").forall(names.drop(3).contains(_)), names.mkString(" "))
    assert(names.contains("isInstanceOf"), names.mkString(" "))
    assertEquals(session.complete("Crane(2).isIn", 13), (9, Seq("isInstanceOf")))
  }

  test("inspection shows signature and owner, even inside an argument list") {
    val map = Inspection.at(session, "List(1).map(_ + 1)", 10).getOrElse(fail("nothing known of map"))
    assert(map.contains("def map[B]") && map.contains("scala.collection.immutable.List"), map)
    assertEquals(Inspection.at(session, "List(1).map( )", 13), Inspection.at(session, "List(1).map( )", 10))
    assertEquals(Inspection.at(session, "   ", 1), None)
  }

  test("complete, incomplete and invalid code are distinguished") {
    assertEquals(Session.isComplete("val x = 1"), Completeness.Complete)
    assertEquals(Session.isComplete("val x = {"), Completeness.Incomplete)
    assertEquals(Session.isComplete("val x = )"), Completeness.Invalid)
  }

  test("warnings go to standard error, not into the result") {
    printed.reset()
    assertEquals(value("@deprecated(\"old\", \"1\") def old = 1\nval used = old"), "defined function old\nused: Int = 1")
    assert(printed.toString("UTF-8").contains("deprecated"), printed.toString("UTF-8"))
  }
}

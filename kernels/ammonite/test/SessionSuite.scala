package ammonite.course

import java.io.{ByteArrayOutputStream, PrintStream}

import ammonite.course.Session.{Completeness, Outcome}

class SessionSuite extends munit.FunSuite {

  private val printed = new ByteArrayOutputStream
  private lazy val session = {
    val stream = new PrintStream(printed, true, "UTF-8")
    val storage = sys.props.get("course.storage").fold(os.temp.dir())(os.Path(_, os.pwd))
    new Session(storage, stream, stream, new DownloadProgress(_ => _ => ()))
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

  test("each result stands on a line of its own") {
    assertEquals(value("val a = 1\nval b = \"x\"\nb -> a").linesIterator.toList.map(_.takeWhile(_ != ':')).take(2), List("a", "b"))
    assertEquals(value("val c = 1\nval d = 2"), "c: Int = 1\nd: Int = 2")
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

  test("the cause is told, once, also when it is its own cause's cause") {
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

  test("completion names last what every value has, but does name it") {
    value("final case class Crane(wings: Int) { def ->(to: String) = to }")
    val names = session.complete("Crane(2).", 9)._2
    val first = names.takeWhile(_ != "!=")
    assert(first.contains("wings") && first.contains("copy"), names.mkString(" "))
    assertEquals(first.filter(Set("==", "asInstanceOf", "equals", "hashCode", "isInstanceOf", "toString")), Nil)
    assert(names.contains("isInstanceOf"), names.mkString(" "))
    assertEquals(session.complete("Crane(2).isIn", 13), (9, Seq("isInstanceOf")))
  }

  test("inspection tells signature and owner, also inside an argument list") {
    val map = Inspection.at(session, "List(1).map(_ + 1)", 10).getOrElse(fail("nothing known of map"))
    assert(map.contains("def map[B]") && map.contains("scala.collection.immutable.List"), map)
    assertEquals(Inspection.at(session, "List(1).map( )", 13), Inspection.at(session, "List(1).map( )", 10))
    assertEquals(Inspection.at(session, "   ", 1), None)
  }

  test("complete, incomplete and invalid code are told apart") {
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

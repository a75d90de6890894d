package ammonite.course

import java.io.{OutputStream, PrintStream}

/** Tests what Shift-Tab shows: the documentation of exactly the thing at the cursor, or none. */
class InspectionSuite extends munit.FunSuite {

  private lazy val session = {
    val silent = new PrintStream(OutputStream.nullOutputStream)
    val made = new Session(
      sys.props.get("course.storage").fold(os.temp.dir())(os.Path(_, os.pwd)),
      silent,
      silent
    )
    Seq(
      "import lab.load.{Answers, LoadResult}, lab.page.Exercise, lab.process.Server, lab.results.Results, lab.show.Display",
      "import lab.trace.{StackFrames, TracedContext, TracedService}",
      "import scala.concurrent._, duration._",
      "/** Mine. */ def orders(count: Int) = count\nclass Results { def count = 1 }",
      "def nap(time: FiniteDuration = 3.seconds, name: String) = name\ncase class Crane(wings: Int, size: Int = 2)"
    ).zipWithIndex
      .foreach { case (cell, number) => made.run(cell, number + 1) }
    made
  }

  override def afterAll(): Unit = session.compilers.shutdownPressy()

  /** Returns what is shown for the name after the bar. */
  private def told(marked: String): String = {
    val at = marked.indexOf('|')
    Inspection.at(session, marked.patch(at, "", 1), at).getOrElse(fail(s"nothing is told of $marked"))
  }

  private def signature(marked: String): String = told(marked).takeWhile(_ != '\n')

  /** Returns what is shown below the signature and the owner. */
  private def documentation(marked: String): String = told(marked).linesIterator.dropWhile(_.nonEmpty).mkString("\n").trim

  private def shows(marked: String, right: String, wrong: String*): Unit = test(s"documentation of $marked") {
    val shown = documentation(marked)
    assert(shown.contains(right), s"expected to read '$right' in: ${told(marked)}")
    wrong.foreach(other => assert(!shown.contains(other), s"'$other' belongs to something else: $shown"))
  }

  private def showsNone(marked: String): Unit = test(s"no documentation of $marked") {
    assertEquals(documentation(marked), "")
  }

  shows("(??? : JmhScore).|name", "Returns class and method, without the package.", "The word after")
  shows("(??? : JmhScore).|benchmark", "class and method, with the package", "One measured benchmark")
  shows("(??? : Latencies).|count", "Returns the number of durations.", "1 task")
  shows("(??? : StackFrames).|count(\"yours\")", "Returns how many frames have this origin", "1 task")
  shows("Say.|count(3, \"task\")", "\"1 task\", \"3 tasks\"")

  shows("Fork.|apply(???)", "Waits for the program to end", "in a separate JVM, for what")
  shows("|Fork(???, limit = 3.seconds)", "Waits for the program to end", "in a separate JVM, for what")
  shows("Fork(???, |limit = 3.seconds)", "`limit`: the time after which the child is killed")
  shows("import lab.process.|Fork", "Runs one of the lab's small programs", "Waits for the program to end")
  shows("|Fork", "Runs one of the lab's small programs", "Waits for the program to end")
  shows("Settle.|apply(3)(1)", "as soon as it is `enough`", "Waits for the program")
  shows("(??? : JmhResults).|apply(\"global\")", "Finds the one score whose benchmark ends in", "Waits for the program")
  shows("(??? : Forked).|lines", "Returns what the JVM printed on standard output, if all went well.")
  showsNone("(??? : Forked).|command")

  shows("Server.|start(???)", "Starts `program` and returns when")
  shows("Server.|start", "Starts `program` and returns when")
  shows("(??? : Server).|close()", "Ends the server, and waits until it is gone.")
  shows("(??? : Server).|name", "the server's name", "The word after", "A program that runs")
  showsNone("(??? : TracedService).|close()")

  shows("Display.|updatable(Map.empty)", "Shows `bundle` and returns the handle")
  shows("Display.|show(Map.empty)", "MIME type by MIME type", "If it has an `id`")
  shows("(??? : Display).|show(Map.empty, None)", "Publishes `bundle`. If it has an `id`")
  shows("(??? : Display.Handle).|update(Map.empty)", "Replaces what was shown with `bundle`", "in place")
  shows("(??? : Display).|update(Map.empty, \"\")", "Replaces in place what was shown under `id`")
  shows("(??? : Chart).|show()", "Draws the chart under the running cell", "Publishes")
  shows("(??? : Table).|show()", "Shows the table under the running cell", "Publishes")
  shows("(??? : StackFrames).|show()", "Shows the frames under the running cell", "Publishes")

  shows("|Claim(\"B3.fixed-pool\")", "Finds the statement with this id", "came out false")
  shows("|Claim(", "Finds the statement with this id")
  shows("def it: |Claim = ???", "A statement of one of the articles, tried here.")
  shows(
    "(??? : Claim).|from(JmhResults.none)",
    "with the benchmark that its figures come from",
    "A statement of one",
    "the published ratio"
  )
  showsNone("(??? : Claim).|statement")
  shows("Claim.|table", "Builds a table of the verdicts reached in this kernel so far", "a row for each score")
  shows("(??? : JmhResults).|table", "Builds a table with a row for each score", "the verdicts reached")
  shows("JmhResults.|none", "Results without scores.")
  shows("Arrivals.|Constant", "At equal intervals.", "At random")
  shows("Arrivals.|Poisson(3)", "At random, independent of each other as visitors are", "At equal intervals")

  shows("Predict.|number(\"01-many\", \"How many?\", \"tasks\")", "Asks for a number, in `unit`.", "a number for a reader")
  shows("Say.|number(3)", "Renders a number for a reader", "in `unit`")
  shows("(??? : Predict.Choice).|reveal(\"a\")", "is neither the letter of an option", "says that it is recorded")
  shows("(??? : Predict.Choice).|reveal(\"a\", JmhResults.none)", "says that it is recorded", "neither the letter")
  shows("(??? : Predict.Number).|reveal(3)", "an answer within a tenth is right")

  shows("def it: |Exercise[Int] = ???", "A task for the reader, with cases", "One thing that")
  shows("Exercise.|Trial[Int](\"one\")(???)", "One thing that the answer must do.", "A task for the reader")
  shows("Exercise.Seen.|apply(1, 2)", "Builds a result that is fine if the two are equal.", "The result of one case")
  shows("(??? : Exercise[Int]).|id", "under which progress is kept")
  shows("lab.exercises.ThreadName.|check(???)", "Tries `answer`, which is evaluated again")
  shows("lab.exercises.ThreadName.|trials", "Returns the cases that the answer must pass, the plainest first")
  shows("Jmh.|name", "The word after `%%`.", "class and method")

  shows("Machine.|preflight()", "Shows the banner and returns the machine")
  shows("Machine.here().|cpus", "`Runtime.availableProcessors`: in a container the quota", "The machine as this JVM sees it")
  shows("Machine.here().|jdk", "vendor and full version", "another Java runtime")
  shows("Machine.here().|show()", "Shows the banner, two small tables", "Publishes")
  shows("Jmh.|live(\"05-future-map\")", "Returns the results of the `%%jmh` cell")
  shows("Results.|exportTo(\"results.jsonl\")", "Writes all of it to one file")
  shows("Latencies.|of(Seq(1L))", "Creates latencies from durations", "Returns the requests with this name")
  shows("(??? : Answers).|of(\"GET\")", "Returns the requests with this name", "Creates latencies")
  shows("(??? : LoadResult).|lag", "how late the generator made each call", "immutable")

  shows("|Trace()", "Starts a new, empty trace.", "Records what happens")
  shows("def it: |Trace = ???", "Records what happens to every task", "a new, empty trace")
  shows("(??? : TracedContext).|as(\"one\")", "Returns the same context with the same trace", "the same service")
  shows("(??? : TracedService).|as(\"one\")", "Returns the same service with the same trace", "the same context")
  shows("(??? : Trace).|summary", "Describes the trace in one line, such as", "with the generator's warning")
  shows("(??? : Latencies).|summary", "\"p50 1.2 ms, p95 3.4 ms", "with the generator's warning")

  showsNone("List(1).|map(_ + 1)")
  showsNone("|orders(3)")
  showsNone("new |Results().count")
  showsNone("new Results().|count")
  showsNone("val count = 3; |count + 1")
  showsNone("List(1).|count(_ > 0)")

  test("documentation is shown without Scaladoc's marks") {
    val text =
      "Counts [[lab.trace.Trace]]s, ''all'' of [[lab.trace.Trace them]].\n\n{{{\nval a = [[1]]\n}}}\nMore.\n\n@param n how many\n" +
        "@throws java.lang.IllegalStateException if there are none"
    val shown = "Counts Traces, all of them.\n\n  val a = [[1]]\nMore.\n\n`n`: how many\nThrows `IllegalStateException` if there are none"
    assertEquals(Scaladoc.shown(text), shown)
  }

  test("if arguments that would choose are missing, each overload is shown with its own documentation") {
    val both = told("(??? : Predict.Choice).|reveal")
    val (recorded, plain) = both.split("(?=def reveal)").toSeq.partition(_.contains("from: lab.results.JmhResults"))
    assertEquals((recorded.size, plain.size), (1, 1), both)
    assert(recorded.forall(text => text.contains("says that it is recorded") && !text.contains("neither the letter")), both)
    assert(plain.forall(text => text.contains("neither the letter") && !text.contains("says that it is recorded")), both)
  }

  test("a signature shows that it has defaults, even if no source gives them") {
    assertEquals(signature("|nap("), "def nap(time: scala.concurrent.duration.FiniteDuration = …, name: String): String")
    assert(signature("Crane.|apply(1)").contains("(wings: Int, size: Int = …)"), signature("Crane.|apply(1)"))
    assert(signature("List(1).|lastIndexOf(1)").contains(", end: Int = …)"), signature("List(1).|lastIndexOf(1)"))
  }

  test("a signature with its defaults, as the source writes them") {
    assert(
      signature("Fork.|apply(???)").contains("limit: scala.concurrent.duration.FiniteDuration = 30.seconds,"),
      signature("Fork.|apply(???)")
    )
    assert(
      signature("(??? : Claim).|ratio(").contains(
        "published: Double, within: Double = 2.0, apart: lab.measure.Threshold = Threshold.aboutEqual"
      ),
      signature("(??? : Claim).|ratio(")
    )
  }

  test("sources are read while the compiler still types the cell") {
    val lines = Seq.tabulate(300)(n => s"val v$n = List($n).map(_ + 1).map(_.toString).mkString")
    val source = "package lab\n" + lines.mkString("object Lines {\n", "\n", "\n}")
    val cell = s"|orders(3)\n${lines.mkString("\n")}"
    for (_ <- 1 to 5) {
      val _ = told(cell)
      for (_ <- 1 to 10)
        assertEquals(Inspection.definitions(session.compilers.pressy.compiler)(source).count(_.key.place.contains("v")), lines.size)
    }
  }
}

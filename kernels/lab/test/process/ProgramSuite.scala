package lab.process

import java.util.concurrent.TimeoutException

import lab.magic.{CellCompiler, CellMagic, MagicOptions}
import lab.magic.program.{ProgramMagic, ProgramOptions, ProgramRefused}
import lab.page.Sweep

import scala.concurrent.duration._

class ProgramSuite extends munit.FunSuite {

  CellMagic.register(ProgramMagic)

  private def refused(line: String): String = intercept[ProgramRefused](ProgramOptions.parse(MagicOptions.words(line))).getMessage

  test("a line is read, and invalid options are named") {
    assertEquals(ProgramOptions.parse(Vector("--name", "shop")), ProgramOptions("shop", Vector.empty, None))
    assertEquals(ProgramOptions.parse(Vector("--name=shop")), ProgramOptions("shop", Vector.empty, None))
    assertEquals(ProgramOptions.parse(Vector("--name", "shop", "--scala", "3")), ProgramOptions("shop", Vector.empty, Some("3")))
    assert(refused("--name shop --scala").contains("--scala 3"))
    assert(refused("").contains("no name") && refused("").contains("--name shop"))
    assert(refused("--name Shop").contains("--name Shop can't"))
    assert(refused("--name val").contains("--name val can't"))
    assert(refused("shop").contains("shop isn't understood"))
  }

  test("a missing system is named, with the available ones") {
    assume(sys.props.contains("course.home"), "this is no kernel of the course")
    val message = refused("--name shop --with rails")
    assert(message.contains("rails") && message.contains("play"), message)
  }

  test("a program may build on one that was compiled before in this session") {
    CompiledProgram.keep(new CompiledProgram("below", Vector.empty, Vector(Jvm.lab)))
    assertEquals(ProgramOptions.parse(Vector("--name", "shop", "--with", "below")), ProgramOptions("shop", Vector("below"), None))
    assertEquals(CompiledProgram.named("below").map(_.classPath), Some(Vector(Jvm.lab)))
  }

  test("a magic cell becomes Scala that binds its name") {
    val Call = """val shop = _root_\.lab\.magic\.program\.ProgramMagic\.compile\(_root_\.lab\.magic\.CellMagic\.take\((\d+)\)\)""".r
    CellMagic.translate("%%program --with play --name shop\n\nobject A") match {
      case Some(Call(id)) => assertEquals(CellMagic.take(id.toInt).body, "\n\nobject A")
      case other          => fail(s"translated to $other")
    }
  }

  test("mains are top-level objects with a main, with their package") {
    val text =
      "package a.b\nclass X { def main(a: Array[String]) = () }\nobject One {\n  object In { val x = 1 }\n  def main(a: Array[String]): Unit = ()\n}\nobject Two\n"
    assertEquals(ProgramMagic.mains(text), Vector("a.b.One"))
    assertEquals(ProgramMagic.mains("object None { val x = 1 }"), Vector.empty)
    assertEquals(
      ProgramMagic.mains("object A { def main(a: Array[String]) = () }\nobject B { def main(a: Array[String]) = () }"),
      Vector("A", "B")
    )
  }

  test("the compiler's report reads in lines of the cell") {
    val said = Vector(
      "Picked up JAVA_TOOL_OPTIONS: -X",
      "/tmp/making-1/cell.scala:4: error: not found: value missing",
      "  missing",
      "  ^",
      "1 error"
    )
    assertEquals(CellCompiler.report(said, "cell.scala"), Vector("line 4: not found: value missing", "  missing", "  ^"))
    val inScala3 = Vector(
      "-- [E006] Not Found Error: cell.scala:4:15 -------------------------------------",
      "4 |  val n: Int = missing",
      "-- Warning: /tmp/making-1/cell.scala:7:2 ---------------------------------------",
      "1 warning found",
      "1 error found"
    )
    assertEquals(
      CellCompiler.report(inScala3, "cell.scala"),
      Vector("line 4: Not Found Error", "4 |  val n: Int = missing", "line 7: Warning")
    )
  }

  private val launcher = Jvm.java()

  test("a server is ready when it says so, and is gone when it is closed") {
    val server = Server.launch("sleeper", Seq("/bin/sh", "-c", "echo starting; echo ready on 4711; exec sleep 1000"), "ready.*", 20.seconds)
    assertEquals((server.readyLine, server.port, server.isRunning), ("ready on 4711", 4711, true))
    assertEquals(server.output, Vector("starting", "ready on 4711"))
    server.close()
    assert(!server.isRunning)
  }

  test("a server that ends before it is ready is reported with its output") {
    val failed = intercept[IllegalStateException](Server.launch("early", Seq("/bin/sh", "-c", "echo alas; exit 3"), "ready.*", 20.seconds))
    assert(failed.getMessage.contains("early ended with exit code 3") && failed.getMessage.contains("alas"), failed.getMessage)
  }

  test("a server that is never ready is killed") {
    val failed = intercept[TimeoutException](Server.launch("slow", Seq("/bin/sh", "-c", "echo soon; exec sleep 1000"), "ready.*", 1.second))
    assert(failed.getMessage.contains("slow wasn't ready after 1 s") && failed.getMessage.contains("soon"), failed.getMessage)
  }

  test("a guest runs the named main, and says if there is none") {
    val path = Jvm.classPath(Jvm.own)
    val command =
      Seq(launcher, "-cp", path, Guest.getClass.getName.stripSuffix("$"), lab.forked.PoolReport.getClass.getName.stripSuffix("$"))
    assert(Fork.run(command, 30.seconds).values.contains("cpus"))
    val missing = Seq(launcher, "-cp", path, Guest.getClass.getName.stripSuffix("$"), "java.lang.NoSuchClass")
    assert(Fork.run(missing, 30.seconds).err.exists(_.contains("java.lang.NoSuchClass")))
  }

  test("an invalid quota is named; the JVM sees a valid one, rounded up") {
    assert(intercept[IllegalArgumentException](CpuQuota.wrap(Some(0), Seq("true"))).getMessage.contains("a quota of 0.0 CPUs"))
    assertEquals(CpuQuota.wrap(None, Seq("true")), Seq("true"))
    assume(CpuQuota.available, "no quota can be set here")
    def cpus(quota: Double) = Fork(lab.forked.PoolReport, jvm = Seq("-XX:ActiveProcessorCount=-1"), quota = Some(quota)).values("cpus")
    assertEquals(cpus(0.5), "1")
    if (Runtime.getRuntime.availableProcessors > 1) assertEquals(cpus(1.5), "2")
  }

  test("throttling is reported in periods, if the system reports it") {
    assertEqualsDouble(StoodStill(periods = 40, throttled = 10).percent, 25, 1e-9)
    assertEqualsDouble(StoodStill(0, 0).percent, 0, 1e-9)
    assert(CpuQuota.stoodStill.forall(all => all.throttled <= all.periods))
  }

  test("a virtual thread reserves less than a platform thread does") {
    def book(kind: String) = Fork(lab.forked.ThreadMemory, Seq(kind, "300"), Seq("-XX:NativeMemoryTracking=summary")).values
    val (platform, virtual) = (book("platform"), book("virtual"))
    assert(platform("reserved").toInt > 20 * math.max(1, virtual("reserved").toInt), s"$platform $virtual")
    if (platform("osThreads") != "0") assert(platform("osThreads").toInt >= 300 && virtual("osThreads").toInt < 50, s"$platform $virtual")
    val wrong = Fork(lab.forked.ThreadMemory, Seq("green", "1"), Seq("-XX:NativeMemoryTracking=summary"))
    assert(wrong.exit != 0 && wrong.err.exists(_.contains("'green' is no kind of thread")), wrong.toString)
  }

  test("a sweep returns what was measured, in order, and shows its progress") {
    val seen = scala.collection.mutable.Buffer.empty[Int]
    assertEquals(Sweep("size", Seq(3, 1, 2)) { n => seen += n; n * n }, Seq(9, 1, 4))
    assertEquals(seen.toSeq, Seq(3, 1, 2))
  }
}

package lab.process

import java.util.concurrent.TimeoutException

import lab.installation.{Jdks, ScalaLibraries}
import lab.machine.Pools

import scala.concurrent.duration._

class ForkSuite extends munit.FunSuite {
  override val munitTimeout: Duration = 2.minutes

  test("a fork runs on the same runtime, with its own options") {
    val report = Fork(lab.forked.PoolReport, jvm = Seq("-XX:ActiveProcessorCount=3")).values
    assertEquals(report("cpus"), "3")
    assertEquals(report("global").toInt, Pools.scalaGlobal(3))
    assertEquals(report("common").toInt, Pools.forkJoinCommon(3))
  }

  test("a fork that fails is reported with its exit code and its output") {
    val refused = Fork(lab.forked.PoolReport, jvm = Seq("-XX:NoSuchOption"))
    assertNotEquals(refused.exit, 0)
    val message = intercept[IllegalStateException](refused.lines).getMessage
    assert(message.contains("NoSuchOption") && message.contains("exit code"), message)
  }

  test("a fork that takes too long is killed") {
    val message = intercept[TimeoutException](Fork(lab.forked.ManyThreads, Seq("1", "0"), limit = 1.milli)).getMessage
    assert(message.contains("killed"), message)
  }

  test("threads reserve the stack they ask for") {
    val tracking = Seq("-XX:NativeMemoryTracking=summary")
    val book = Fork(lab.forked.ManyThreads, Seq("200", "512"), tracking).values
    val perThread = book("reserved").toDouble / 200
    assert(perThread > 460 && perThread < 570, s"$perThread KiB reserved per thread that asked for 512")
    assert(book("committed").toDouble <= book("reserved").toDouble)
  }

  test("without native memory tracking the program says what is missing") {
    val message = intercept[IllegalStateException](Fork(lab.forked.ManyThreads, Seq("1", "0")).lines).getMessage
    assert(message.contains("native memory tracking"), message)
  }

  test("nested Futures meet on this Scala library") {
    val four = Seq("-Dscala.concurrent.context.numThreads=4", "-Dscala.concurrent.context.maxThreads=4")
    val run = Fork(lab.forked.NestedFutures, jvm = four).values
    assertEquals(run("met"), "2")
    assertEquals(run("version"), scala.util.Properties.versionNumberString)
  }

  test("an empty `blocking` keeps the pool at few threads, on the articles' Scala as on this one") {
    assume(ScalaLibraries.available.nonEmpty, "set-up has put no other Scala libraries here")
    for (library <- Seq(None, Some(ScalaLibraries("2.12.20")))) {
      val seen = Fork(lab.forked.EmptyBlocking, Seq("200"), scalaLibrary = library).values
      assert(seen("without.runs").toInt > 0 && seen("empty.runs").toInt > 0, s"$seen")
      assert(seen("empty.started").toInt < seen("empty.runs").toInt * 10, s"a tenth of the calls would be much: $seen")
      assertEquals(seen("without.asking").toDouble, 0.0)
    }
  }

  test("on the other libraries: only 2.13.3 keeps them apart") {
    assume(ScalaLibraries.available.nonEmpty, "set-up has put no other Scala libraries here")
    val four = Seq("-Dscala.concurrent.context.numThreads=4", "-Dscala.concurrent.context.maxThreads=4")
    val met = Seq("2.12.20", "2.13.3").map(version =>
      Fork(lab.forked.NestedFutures, jvm = four, scalaLibrary = Some(ScalaLibraries(version))).values("met")
    )
    assertEquals(met, Seq("2", "1"))
  }

  test("a missing library is named, with what to do") {
    val message = intercept[IllegalStateException](ScalaLibraries("2.10.7")).getMessage
    assert(message.contains("2.10.7") && message.contains("kernels/course setup"), message)
  }

  test("a fork runs on another JDK of the set-up") {
    assume(Jdks.available.contains(17), "set-up has put no JDK 17 here")
    // The common pool's size on one CPU changed: JDK 25 has a thread there, and older JDKs have none.
    val run = Fork(lab.forked.PoolReport, jvm = Seq("-XX:ActiveProcessorCount=1"), jdk = Some(17)).values
    assertEquals((run("cpus"), run("common")), ("1", "1"))
  }

  test("a missing JDK is named, with the available ones") {
    assume(sys.props.contains("course.home"), "this is no kernel of the course")
    val message = intercept[IllegalArgumentException](Fork(lab.forked.PoolReport, jdk = Some(9))).getMessage
    assert(message.contains("JDK 9 isn't here") && message.contains(Runtime.version.feature.toString), message)
  }

  test("blocked tasks: all wait where they may, the limit holds, and what they hold fills a small heap") {
    def run(tasks: Int, kib: Int, limit: Int, more: String*) = Fork(
      lab.forked.BlockedTasks,
      Seq(s"$tasks", s"$kib") ++ more,
      Seq("-Xmx24m", "-XX:+ExitOnOutOfMemoryError", s"-Dscala.concurrent.context.maxExtraThreads=$limit")
    )
    def told(run: Forked) = (run.values("waiting").toInt, run.values("another").toBoolean)
    assertEquals(told(run(50, 0, 100)), (50, true))
    assertEquals(told(run(50, 128, 20)), (21.max(Runtime.getRuntime.availableProcessors), false))
    assertEquals(told(run(50, 128, 20, "fixed=6")), (6, true))
    assertEquals(told(run(50, 0, 100, "silent")), (Runtime.getRuntime.availableProcessors.min(50), false))
    val full = run(400, 128, 300)
    assert(full.exit != 0 && full.out.exists(_.contains("OutOfMemoryError")), full.transcript)
  }

  test("short of address space, a spare thread can't be had: the body fails, and its Future never completes") {
    val options = Seq("-Xss32m", "-XX:ActiveProcessorCount=2", "-XX:+UseSerialGC", "-XX:CompressedClassSpaceSize=32m", "-Xlog:disable")
    val extra = Seq("-XX:ErrorFile=/dev/null", "-Dscala.concurrent.context.maxExtraThreads=2000")
    val run = Fork(lab.forked.BlockedTasks, Seq("1000", "0", "1536", "32"), options ++ extra, addressSpace = Some(1536))
    assume(run.exit != 125, "this system can't limit the address space of one process")
    assert(run.values("failure").contains("unable to create native thread"), run.transcript)
    assertEquals(run.values("complete"), "0")
  }
}

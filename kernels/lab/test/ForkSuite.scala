package lab

import java.util.concurrent.TimeoutException

import scala.concurrent.duration._

class ForkSuite extends munit.FunSuite {
  override val munitTimeout: Duration = 2.minutes

  test("a fork runs on the same runtime, with its own options") {
    val report = Fork(forked.PoolReport, jvm = Seq("-XX:ActiveProcessorCount=3")).values
    assertEquals(report("cpus"), "3")
    assertEquals(report("global").toInt, Pools.scalaGlobal(3))
    assertEquals(report("common").toInt, Pools.forkJoinCommon(3))
  }

  test("one that fails is told with its exit code and what it said") {
    val refused = Fork(forked.PoolReport, jvm = Seq("-XX:NoSuchOption"))
    assertNotEquals(refused.exit, 0)
    val message = intercept[IllegalStateException](refused.lines).getMessage
    assert(message.contains("NoSuchOption") && message.contains("exit code"), message)
  }

  test("one that takes too long is killed") {
    val message = intercept[TimeoutException](Fork(forked.ManyThreads, Seq("1", "0"), limit = 1.milli)).getMessage
    assert(message.contains("killed"), message)
  }

  test("threads reserve the stack they ask for") {
    val tracking = Seq("-XX:NativeMemoryTracking=summary")
    val book = Fork(forked.ManyThreads, Seq("200", "512"), tracking).values
    val perThread = book("reserved").toDouble / 200
    assert(perThread > 460 && perThread < 570, s"$perThread KiB reserved per thread that asked for 512")
    assert(book("committed").toDouble <= book("reserved").toDouble)
  }

  test("without native memory tracking the program says what is missing") {
    val message = intercept[IllegalStateException](Fork(forked.ManyThreads, Seq("1", "0")).lines).getMessage
    assert(message.contains("native memory tracking"), message)
  }

  test("nested Futures meet on this Scala library") {
    val four = Seq("-Dscala.concurrent.context.numThreads=4", "-Dscala.concurrent.context.maxThreads=4")
    val run = Fork(forked.NestedFutures, jvm = four).values
    assertEquals(run("met"), "2")
    assertEquals(run("version"), scala.util.Properties.versionNumberString)
  }

  test("on the other libraries: only 2.13.3 keeps them apart") {
    assume(ScalaLibraries.available.nonEmpty, "set-up has put no other Scala libraries here")
    val four = Seq("-Dscala.concurrent.context.numThreads=4", "-Dscala.concurrent.context.maxThreads=4")
    val met = Seq("2.12.20", "2.13.3").map(version =>
      Fork(forked.NestedFutures, jvm = four, scalaLibrary = Some(ScalaLibraries(version))).values("met")
    )
    assertEquals(met, Seq("2", "1"))
  }

  test("a library that isn't there is named, with what to do") {
    val message = intercept[IllegalStateException](ScalaLibraries("2.10.7")).getMessage
    assert(message.contains("2.10.7") && message.contains("kernels/course setup"), message)
  }
}

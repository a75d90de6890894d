package lab.trace

import java.util.concurrent.atomic.AtomicReference

import lab.forked.{Recursion, StackTraces}
import lab.installation.ScalaLibraries
import lab.process.Fork

class StackFramesSuite extends munit.FunSuite {

  test("frames are counted by the owner of their code") {
    val thrown = new AtomicReference[Exception]
    java.util.List.of(1).forEach(n => Vector(n).foreach(_ => thrown.set(new Exception("on purpose"))))
    val frames = StackFrames("here", thrown.get)
    assertEquals(StackFrames.origins.map(frames.count).sum, frames.frames.size)
    assert(
      frames.yours.head.startsWith("lab.trace.StackFramesSuite.") && frames.yours.head.contains("(StackFramesSuite.scala:"),
      frames.yours.head
    )
    assert(frames.count("JDK") > 0 && frames.count("Scala") > 0, frames.plain)
    assert(frames.html.contains("<details>") && frames.html.contains("<b>lab.trace.StackFramesSuite."), frames.html)
  }

  test("one exception, reached in five ways; 2.12 has no parasitic") {
    def waysOf(library: Option[String]): Map[String, Vector[String]] =
      Fork(StackTraces, scalaLibrary = library.map(ScalaLibraries(_))).lines
        .collect { case s"$way=$frame" => way -> frame }
        .groupMap(_._1)(_._2)
    val ways = waysOf(None)
    assertEquals(ways.keySet, Set("plain call", "virtual thread", "direct", "parasitic", "global"))
    def shows(way: String): Boolean = ways(way).exists(_.contains("StackTraces$.order("))
    assert(ways.forall(_._2.head.contains(".parse(")), "the innermost frame is the one that threw")
    assert(shows("direct") && shows("plain call") && !shows("global"), ways.toString)
    if (ScalaLibraries.available.contains("2.12.20")) assertEquals(waysOf(Some("2.12.20")).keySet, ways.keySet - "parasitic")
  }

  test("direct recursion overflows, deeper on a larger stack; parasitic doesn't") {
    val seen = Fork(Recursion, Seq("50000", "256", "1024")).values
    assertEquals(seen("direct.256.thrown"), "StackOverflowError")
    assertEquals(seen("direct.256.future"), "never completed")
    assert(seen("direct.1024.steps").toInt > seen("direct.256.steps").toInt, seen.toString)
    assertEquals((seen("parasitic.256.thrown"), seen("parasitic.256.future")), ("nothing", "Success(0)"))
  }
}

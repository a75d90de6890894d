package lab.forked

import java.nio.file.{Files, Path}

import lab.forked.HandOffs
import lab.process.{Fork, Forked}

class HandOffsSuite extends munit.FunSuite {

  private def rounds(seen: Map[String, String], name: String): Seq[Double] = seen(name).split(",").toSeq.map(_.toDouble)

  test("each variant is measured in each round, and the caller runs the last step only if no step is submitted") {
    val seen = Fork(HandOffs, Seq("idle", "3", "both", "direct", "single")).values
    val ways = for { way <- Seq("direct.none", "single.one", "single.all"); next <- Seq("waits", "continues") } yield s"$way.$next"
    assertEquals(seen.keySet.collect { case s"$way.micros" => way }, ways.toSet)
    ways.foreach { way =>
      assertEquals(rounds(seen, s"$way.micros").size, 3)
      assert(rounds(seen, s"$way.micros").forall(_ > 0) && seen(s"$way.cpu").toDouble >= 0, seen.toString)
    }
    def onCaller(way: String): Seq[Double] = Seq("waits", "continues").map(next => seen(s"$way.$next.caller").toDouble)
    assertEquals((onCaller("direct.none"), onCaller("single.all")), (Seq(1.0, 1.0), Seq(0.0, 0.0)))
  }

  test("switches are counted if the system reports them: a chain on another thread makes its caller wait") {
    assume(Files.isDirectory(Path.of("/proc/self/task")), "this system doesn't count a thread's switches")
    val seen = Fork(HandOffs, Seq("idle", "3", "waits", "direct", "single")).values
    assert(rounds(seen, "single.all.waits.switches").sum > rounds(seen, "direct.none.waits.switches").sum, seen.toString)
  }

  test("threads run on one CPU, or on CPUs kept awake, and the programs that keep them awake end with the JVM") {
    assume(Files.isDirectory(Path.of("/proc/self/task")), "this needs Linux")
    // The last argument of each program is the process for which it keeps the CPUs awake.
    def leftBehind = ProcessHandle.allProcesses.filter { process =>
      val words = process.info.arguments.orElse(Array.empty)
      words.exists(_.contains("while kill -0")) && words.last.toLongOption.exists(!ProcessHandle.of(_).isPresent)
    }.count
    Seq("pinned", "awake").foreach { where =>
      val run = Fork(HandOffs, Seq(where, "3", "waits", "single"))
      assume(run.exit != Forked.notHere, s"$where isn't to be had here: ${run.transcript}")
      assertEquals(rounds(run.values, "single.all.waits.micros").size, 3)
    }
    assertEquals(leftBehind, 0L)
  }
}

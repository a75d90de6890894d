package lab.forked

import lab.forked.LeftBehind
import lab.installation.Jdks
import lab.process.Fork

class LeftBehindSuite extends munit.FunSuite {

  private val twoThreads = Seq("-Djava.util.concurrent.ForkJoinPool.common.parallelism=2")
  private lazy val seen: Map[String, String] = Fork(LeftBehind, jvm = twoThreads).values

  test("a pool of one's own keeps what tasks leave on its threads, whether they slept meanwhile or not") {
    for { pool <- Seq("own", "fixed", "global"); (when, all) <- Seq("idle" -> "2", "busy" -> "20") }
      assertEquals(seen(s"$pool.$when"), all, s"$pool.$when")
  }

  test("threads that are cleared are cleared when they fall asleep") {
    for (pool <- Seq("common", "own-clearing")) assertEquals(seen(s"$pool.idle"), "0", pool)
  }

  test("a thread that ends with its task keeps nothing") {
    for (when <- Seq("idle", "busy")) assertEquals(seen(s"virtual.$when"), "0")
  }

  test("on an older JDK, what that hasn't got is left out") {
    assume(Jdks.available.contains(17), "JDK 17 isn't here")
    val older = Fork(LeftBehind, jvm = twoThreads, jdk = Some(17)).values
    assertEquals(older.keySet.map(_.takeWhile(_ != '.')), Set("common", "own", "global", "fixed"))
    assertEquals(Seq("common", "own", "global", "fixed").map(pool => older(s"$pool.idle")), Seq("0", "2", "2", "2"))
  }
}

package lab.forked

import lab.forked.OneCarrier
import lab.installation.Jdks
import lab.process.Fork

import scala.concurrent.duration._

class OneCarrierSuite extends munit.FunSuite {
  override val munitTimeout: Duration = 2.minutes

  private def seen(most: Int, jdk: Option[Int] = None, ways: Seq[String] = Nil): Map[String, String] = {
    val scheduler = Seq("-Djdk.virtualThreadScheduler.parallelism=1", s"-Djdk.virtualThreadScheduler.maxPoolSize=$most")
    Fork(OneCarrier, ways, jvm = scheduler, jdk = jdk, limit = 1.minute).values
  }
  private def stuck(seen: Map[String, String]): Set[String] = seen.collect { case (way, "false") => way }.toSet

  test("which waits keep the only carrier from other threads on this JDK, and which of them JFR records") {
    assume(Jdks.own >= 24, "monitors pin here")
    val alone = seen(most = 1)
    // In JDK 26, a thread that waits for a class releases its carrier (JDK-8369238).
    assertEquals(stuck(alone), Set("initialiser", "file") ++ Option.when(Jdks.own < 26)("class"))
    assert(alone("initialiser.pinned").toInt >= 1000, s"$alone")
    assert(!alone.contains("file.pinned") && !alone.contains("synchronized.pinned"), s"$alone")
  }

  test("on JDK 21 monitors keep it, too; a spare carrier helps if the JDK starts one") {
    assume(Jdks.available.contains(21), "JDK 21 isn't here")
    val alone = seen(most = 1, jdk = Some(21))
    assertEquals(stuck(alone), Set("synchronized", "monitor", "wait", "initialiser", "class", "file"))
    assert(alone("synchronized.pinned").toInt >= 1000, s"$alone")
    val hold = Seq("synchronized", "initialiser", "class")
    assertEquals(stuck(seen(most = 256, jdk = Some(21), hold)), hold.toSet)
    for (way <- Seq("file", "wait")) assertEquals(stuck(seen(most = 256, jdk = Some(21), Seq(way))), Set.empty[String], way)
  }
}

package lab.load

import scala.concurrent.duration._

class NapsSuite extends munit.FunSuite {
  test("a sleep is recorded with its thread, and with the number of sleepers") {
    val thread = new Thread(() => Naps.sleep("C1", 2, 300.millis), "application-pekko.actor.default-dispatcher-7")
    thread.start()
    while (thread.getState != Thread.State.TIMED_WAITING) Thread.onSpinWait()
    Naps.sleep("C2", 1, Duration.Zero)
    val naps = Naps.read(Naps.lines)
    assertEquals(naps.filter(_.row == "C1"), Vector(Nap("C1", 2, 1, 1, "application-pekko.actor.default-dispatcher-7")))
    assertEquals(naps.filter(_.row == "C2").map(_.asleep), Vector(2))
    assertEquals(naps.filter(_.row == "C2").map(_.inPool), Vector(1), "the other one sleeps on another pool's thread")
    assertEquals(naps.find(_.row == "C1").map(_.family), Some("pekko.actor.default-dispatcher"))
    thread.join()
  }

  test("a thread without a name is a virtual one") {
    assertEquals(Naps.read("virtual,1,3,2,").map(_.family), Vector("virtual"))
  }
}

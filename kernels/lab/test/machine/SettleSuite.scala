package lab.machine

import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

import scala.concurrent.duration._

class SettleSuite extends munit.FunSuite {

  test("it returns immediately if there are enough, after the quiet time if nothing changes, and else at the limit") {
    val counter = new AtomicInteger
    assertEquals(Settle(5, quiet = 1.hour)(counter.incrementAndGet()), 5)
    assertEquals(Settle(5, quiet = 20.millis)(3), 3)
    assert(Settle(Int.MaxValue, quiet = 1.hour, limit = 50.millis)(counter.incrementAndGet()) > 5)
  }

  test("each change restarts the quiet time") {
    val began = System.nanoTime
    // It pauses for less than the quiet time, again and again, and then for good.
    def steps = ((System.nanoTime - began) / 100000000L).toInt.min(8)
    assertEquals(Settle(100, quiet = 600.millis)(steps), 8)
  }

  test("an interrupt ends it") {
    val end = new AtomicReference[Throwable]
    val waiting = new Thread(() =>
      try { Settle(1, quiet = 1.hour, limit = 1.hour)(0); () }
      catch { case thrown: Throwable => end.set(thrown) }
    )
    waiting.start()
    waiting.interrupt()
    waiting.join(10000)
    assert(end.get.isInstanceOf[InterruptedException], end.get)
  }
}

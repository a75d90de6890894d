package lab.machine

import java.util.concurrent.Executors

import scala.concurrent.{ExecutionContext, Future}
import scala.util.Using

class TickClockSuite extends munit.FunSuite {

  private def ticks(threads: Int, naps: Int*): Int =
    Using.resource(ExecutionContext.fromExecutorService(Executors.newFixedThreadPool(threads))) { pool =>
      val clock = new TickClock
      val all = naps.map(nap => Future(clock.sleep(nap))(pool))
      clock.until(all.forall(_.isCompleted))
    }

  test("on several threads the longest nap counts, on one thread their sum") {
    assertEquals(Seq(ticks(3, 2, 1, 1), ticks(1, 2, 1, 1), ticks(2, 2, 1, 1)), Seq(2, 4, 2))
    assertEquals(ticks(1), 0)
  }

  test("a condition that never becomes true fails at the limit") {
    val message = intercept[IllegalStateException](new TickClock().until(done = false, limit = 2)).getMessage
    assert(message.contains("after 2 ticks"), message)
  }
}

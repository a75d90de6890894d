package lab.machine

import scala.concurrent.blocking
import scala.concurrent.duration._
import scala.util.Using

class ListeningPoolSuite extends munit.FunSuite {

  test("it supports `blocking` as the global pool does, with the same limit") {
    Using.resource(ListeningPool(3, maxExtraThreads = 5)) { pool =>
      assertEquals(Seq(Sleepers.concurrent(12, pool)(nap => nap), Sleepers.concurrent(12, pool)(blocking(_))), Seq(3, 6))
    }
  }

  test("`minimumRunnable` reaches the pool: at 0 not even one thread is left") {
    val left = for (minimum <- Seq(0, 1)) yield Using.resource(ListeningPool(4, minimumRunnable = minimum)) { pool =>
      val blocked = Sleepers(4, pool)(blocking(_))
      val others = Sleepers(8, pool)(nap => nap)
      try (blocked.count, others.count)
      finally { blocked.wake(); others.wake() }
    }
    assertEquals(left, Seq((4, 0), (4, 1)))
  }

  test("its threads end if no task comes for `keepAlive`") {
    Using.resource(ListeningPool(2, keepAlive = 50.millis)) { pool =>
      assertEquals(Sleepers.concurrent(9, pool)(blocking(_)), 9)
      assertEquals(Settle(0, quiet = 5.seconds)(-pool.getPoolSize), 0)
    }
  }

  test("invalid sizes are rejected") {
    assert(intercept[IllegalArgumentException](ListeningPool(0)).getMessage.contains("0"))
    assert(intercept[IllegalArgumentException](ListeningPool(2, minimumRunnable = -1)).getMessage.contains("-1"))
    assert(intercept[IllegalArgumentException](ListeningPool(2, keepAlive = 0.millis)).getMessage.contains("time above 0"))
  }
}

package lab.machine

import java.util.concurrent.{Executors, ForkJoinPool}

import scala.concurrent.{blocking, ExecutionContext}
import scala.util.Using

class SleepersSuite extends munit.FunSuite {

  test("as many sleep as the pool has threads for; when they are woken, all end") {
    Using.resource(ExecutionContext.fromExecutorService(Executors.newFixedThreadPool(2))) { two =>
      val sleepers = Sleepers(5, two)(nap => nap)
      assertEquals((sleepers.count, sleepers.threads.distinct.size), (2, 2))
      sleepers.wake()
      assertEquals((sleepers.count, sleepers.threads.distinct.size), (5, 2))
    }
  }

  test("the sleep itself notifies nobody; only code around it can") {
    Using.resource(GlobalPool(2)) { pool =>
      assertEquals(Seq[(=> Unit) => Unit](nap => nap, blocking(_)).map(Sleepers.concurrent(6, pool)(_)), Seq(2, 6))
    }
    Using.resource(ExecutionContext.fromExecutorService(new ForkJoinPool(2))) { deaf =>
      assertEquals(Sleepers.concurrent(6, deaf)(nap => nap), 2)
    }
  }

  test("zero sleepers are no error, but a negative number is") {
    assertEquals(Sleepers.concurrent(0, ExecutionContext.global)(nap => nap), 0)
    assert(intercept[IllegalArgumentException](Sleepers(-1, ExecutionContext.global)(nap => nap)).getMessage.contains("-1"))
  }
}

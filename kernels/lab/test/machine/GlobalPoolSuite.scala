package lab.machine

import java.util.concurrent.Executors

import scala.concurrent.{blocking, ExecutionContext}
import scala.util.Using

class GlobalPoolSuite extends munit.FunSuite {

  test("a pool like the global one has the size it was given, and one blocker more than its limit") {
    Using.resource(GlobalPool(threads = 3, maxExtraThreads = 5)) { pool =>
      assertEquals(pool.getParallelism, 3)
      assertEquals(Sleepers.concurrent(12, pool)(nap => nap), 3)
      assertEquals(Sleepers.concurrent(12, pool)(blocking(_)), 6)
    }
  }

  test("it leaves no property behind, and rejects invalid sizes") {
    def settings = sys.props.filter { case (name, _) => name.startsWith("scala.concurrent.context.") }.toMap
    val before = settings
    GlobalPool(2, 3).close()
    assertEquals(settings, before)
    assert(intercept[IllegalArgumentException](GlobalPool(0)).getMessage.contains("at least 1 thread"))
    assert(intercept[IllegalArgumentException](GlobalPool(1, -1)).getMessage.contains("-1"))
  }

  test("another size of the global pool doesn't change a fixed one") {
    Using.resource(Executors.newFixedThreadPool(2)) { fixed =>
      assertEquals(Sleepers.concurrent(5, ExecutionContext.fromExecutorService(fixed))(blocking(_)), 2)
    }
  }
}

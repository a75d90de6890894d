package lab

import java.util.concurrent.{CountDownLatch, Executors}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._
import scala.concurrent.{blocking, Await, ExecutionContext, Future}
import scala.util.Using

class GlobalPoolSuite extends munit.FunSuite {

  private def asleep(tasks: Int, pool: ExecutionContext)(wrap: (=> Unit) => Unit): Int = {
    val (asleep, alarm) = (new AtomicInteger, new CountDownLatch(1))
    val all = (1 to tasks).map(_ => Future(wrap { asleep.incrementAndGet(); alarm.await() })(pool))
    try Settle(tasks)(asleep.get)
    finally {
      alarm.countDown()
      all.foreach(Await.ready(_, 10.seconds))
    }
  }

  test("a pool like the global one has the size it was given, and one blocker more than its limit") {
    Using.resource(GlobalPool(threads = 3, maxExtraThreads = 5)) { pool =>
      assertEquals(pool.getParallelism, 3)
      assertEquals(asleep(12, pool)(nap => nap), 3)
      assertEquals(asleep(12, pool)(blocking(_)), 6)
    }
  }

  test("it leaves no property behind, and none of its sizes may be nonsense") {
    def settings = sys.props.filter { case (name, _) => name.startsWith("scala.concurrent.context.") }.toMap
    val before = settings
    GlobalPool(2, 3).close()
    assertEquals(settings, before)
    assert(intercept[IllegalArgumentException](GlobalPool(0)).getMessage.contains("at least 1 thread"))
    assert(intercept[IllegalArgumentException](GlobalPool(1, -1)).getMessage.contains("-1"))
  }

  test("another size of the global pool doesn't change a fixed one") {
    Using.resource(Executors.newFixedThreadPool(2)) { fixed =>
      assertEquals(asleep(5, ExecutionContext.fromExecutorService(fixed))(blocking(_)), 2)
    }
  }
}

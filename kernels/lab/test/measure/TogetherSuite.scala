package lab.measure

import java.util.concurrent.CyclicBarrier
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger

class TogetherSuite extends munit.FunSuite {
  test("all calls run simultaneously, and their results come in the order of the arguments") {
    val allAreThere = new CyclicBarrier(8)
    assertEquals(Together(1 to 8) { n => allAreThere.await(20, SECONDS); n * n }, (1 to 8).map(n => n * n))
  }

  test("no more run simultaneously than may, and none is left out") {
    val (running, most) = (new AtomicInteger, new AtomicInteger)
    val results = Together(1 to 20, most = 2) { n =>
      val _ = most.accumulateAndGet(running.incrementAndGet(), _ max _)
      running.decrementAndGet()
      n
    }
    assertEquals(results, 1 to 20)
    assert(most.get <= 2, most.get)
  }

  test("the error of a call is the caller's, and the other calls are interrupted") {
    val error = new IllegalStateException("no")
    val thrown = intercept[IllegalStateException](Together(Seq(true, false))(fails => if (fails) throw error else SECONDS.sleep(600)))
    assert(thrown eq error)
  }
}

package lab

import scala.concurrent.duration._

class SaturatedSuite extends munit.FunSuite {
  private def sleeps(threads: Int) = Saturated(threads, waits = 10.millis, time = 200.millis, spans = 50.millis)(())

  test("twice as many threads that wait do twice as much") {
    val (two, four) = (sleeps(2), sleeps(4))
    assert(two.perSecond > 100 && two.perSecond <= 210, two)
    assert(four.perSecond / two.perSecond > 1.5 && four.perSecond / two.perSecond < 2.7, s"$two, $four")
    assert(two.onThread.percentileNanos(50) >= 10000000L, two)
  }

  test("the first tasks are kept, each on its thread, blocked while it waits") {
    val spans = sleeps(2).spans
    assertEquals(spans.flatMap(_.thread).distinct.sorted, Vector("thread-1", "thread-2"))
    assert(spans.sizeIs >= 4 && spans.forall(span => span.startedNanos.exists(_ < 50000000L) && span.blockedNanos >= 9000000L), spans)
    assertEquals(Saturated(1, time = 10.millis)(()).spans, Vector.empty)
  }

  test("tasks that take longer than there is time count all the same") {
    val slow = Saturated(2, waits = 100.millis, time = 30.millis)(())
    assert(slow.perSecond > 5 && slow.perSecond < 25 && slow.onThread.count == 2, slow)
  }

  test("no thread, no time") {
    assert(intercept[IllegalArgumentException](Saturated(0)(())).getMessage.contains("not 0"))
  }
}

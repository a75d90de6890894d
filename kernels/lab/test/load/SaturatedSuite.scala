package lab.load

import scala.concurrent.duration._

class SaturatedSuite extends munit.FunSuite {
  private def sleeps(threads: Int, spans: FiniteDuration = Duration.Zero) =
    Saturated(threads, waits = 10.millis, time = 200.millis, spans)(())

  test("twice as many threads that wait do twice as much") {
    // A moment in which the machine has no CPU for this JVM can only take from what was done: the best of five hasn't met one.
    val rounds = Seq.fill(5)((sleeps(2), sleeps(4)))
    val (two, four) = (rounds.map(_._1).maxBy(_.perSecond), rounds.map(_._2).maxBy(_.perSecond))
    assert(two.perSecond > 100 && two.perSecond <= 210, two)
    assert(four.perSecond / two.perSecond > 1.5 && four.perSecond / two.perSecond < 2.7, s"$two, $four")
    assert(two.onThread.percentileNanos(50) >= 10000000L, two)
  }

  test("CPUs in use: one at most for a thread that computes, far less for one that sleeps") {
    def spin(): Unit = { val until = System.nanoTime + 2000000L; while (System.nanoTime < until) Thread.onSpinWait() }
    // Other programs take from the first, and this JVM's own compiler adds to both.
    val (busy, idle) = Seq.fill(5)((Saturated(1, time = 200.millis)(spin()), sleeps(1))).unzip
    assert(busy.map(_.cpus).min <= 1.1, busy)
    assert(busy.map(_.cpus).max > 3 * idle.map(_.cpus).min, s"$busy, $idle")
    // 2 ms of wall time each, of which it had the CPU for as much or less.
    assert(busy.map(_.perCpuSecond).max > 300, busy)
  }

  test("the first tasks are kept, each on its thread, blocked while it waits") {
    val all = sleeps(2, spans = 1.hour)
    assertEquals(all.spans.flatMap(_.thread).distinct.sorted, Vector("thread-1", "thread-2"))
    assert(all.spans.size >= all.onThread.count && all.spans.forall(_.blockedNanos >= 9000000L), all.spans)
    val first = Seq.fill(5)(sleeps(2, spans = 50.millis).spans)
    assert(first.flatten.forall(_.startedNanos.exists(_ < 50000000L)), first)
    assert(first.exists(_.sizeIs >= 4), first)
    assertEquals(Saturated(1, time = 10.millis)(()).spans, Vector.empty)
  }

  test("tasks that take longer than there is time count all the same") {
    val slow = Seq.fill(5)(Saturated(2, waits = 100.millis, time = 30.millis)(())).maxBy(_.perSecond)
    assert(slow.perSecond > 5 && slow.perSecond < 25 && slow.onThread.count == 2, slow)
  }

  test("who comes so late that the time is over has one task all the same") {
    val late = Saturated(2, time = 1.nano)(())
    assert(late.perSecond > 0 && late.onThread.count == 2, late)
  }

  test("no thread, no time") {
    assert(intercept[IllegalArgumentException](Saturated(0)(())).getMessage.contains("not 0"))
  }
}

package lab.load

import scala.concurrent.duration._

class SaturatedSuite extends munit.FunSuite {
  private def sleeps(threads: Int, spans: FiniteDuration = Duration.Zero) =
    Saturated(threads, waits = 10.millis, time = 200.millis, spans)(())

  test("with twice the threads, tasks that wait get twice the work done") {
    // If the machine has no CPU for this JVM for a moment, less gets done. The best of five is a run without such a moment.
    val rounds = Seq.fill(5)((sleeps(2), sleeps(4)))
    val (two, four) = (rounds.map(_._1).maxBy(_.perSecond), rounds.map(_._2).maxBy(_.perSecond))
    assert(two.perSecond > 100 && two.perSecond <= 210, two)
    assert(four.perSecond / two.perSecond > 1.5 && four.perSecond / two.perSecond < 2.7, s"$two, $four")
    assert(two.onThread.percentileNanos(50) >= 10000000L, two)
  }

  test("CPUs in use: one at most for a thread that computes, far less for one that sleeps") {
    def spin(): Unit = { val until = System.nanoTime + 2000000L; while (System.nanoTime < until) Thread.onSpinWait() }
    // Other programs make the first number smaller, and this JVM's own compiler makes both larger.
    val (busy, idle) = Seq.fill(5)((Saturated(1, time = 200.millis)(spin()), sleeps(1))).unzip
    assert(busy.map(_.cpus).min <= 1.1, busy)
    assert(busy.map(_.cpus).max > 3 * idle.map(_.cpus).min, s"$busy, $idle")
    // Each task takes 2 ms of wall time, and at most that much CPU time.
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

  test("tasks that take longer than the measured time still count") {
    val slow = Seq.fill(5)(Saturated(2, waits = 100.millis, time = 30.millis)(())).maxBy(_.perSecond)
    assert(slow.perSecond > 5 && slow.perSecond < 25 && slow.onThread.count == 2, slow)
  }

  test("a thread that begins after the measured time still runs one task") {
    val late = Saturated(2, time = 1.nano)(())
    assert(late.perSecond > 0 && late.onThread.count == 2, late)
  }

  test("it rejects a call without threads or time") {
    assert(intercept[IllegalArgumentException](Saturated(0)(())).getMessage.contains("not 0"))
  }
}

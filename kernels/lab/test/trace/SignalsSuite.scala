package lab.trace

class SignalsSuite extends munit.FunSuite {
  test("signals are returned once, with their thread, and read with times from the first on") {
    Signals.lines()
    Signals.note("1", "read")
    val other = new Thread(() => Signals.note("1", "written"), "worker-7")
    other.start()
    other.join()
    Signals.note("2", "read")
    val signals = Signals.read(Signals.lines())
    assertEquals(signals.all.map(one => one.request -> one.name), Vector("1" -> "read", "1" -> "written", "2" -> "read"))
    assertEquals(signals.all.map(_.numberIn("worker-")), Vector(None, Some(7), None))
    assertEquals(signals.all.map(_.id), Vector(Thread.currentThread, other, Thread.currentThread).map(_.threadId))
    assertEquals(signals.all.head.nanos, 0L)
    assertEquals(signals.pairs("read", "written").map { case (from, to) => from.request -> (to.nanos >= from.nanos) }, Vector("1" -> true))
    assertEquals(s"$signals", "3 signals of 2 requests")
    assertEquals(Signals.lines(), "")
    assertEquals(Signals.read("").all, Vector.empty)
  }
}

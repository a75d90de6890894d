package lab.trace

import lab.show.Say

/** Tests what the words, the table and the picture show for small traces made by hand. */
object Spans {
  val left: Worker = Worker("pool-1", 11, virtual = false, spare = false)
  val right: Worker = Worker("pool-2", 12, virtual = false, spare = true)

  def span(label: String, worker: Worker, submitted: Long, started: Long, ended: Long, blocked: Interval*): TaskSpan =
    TaskSpan(label, "main", Some(worker), submitted, Some(started), Some(ended), blocked.toVector, None)

  val ms = 1000000L
  val queue: Vector[TaskSpan] = Vector(
    span("parse", left, 0, 1 * ms, 41 * ms),
    span("query", left, 0, 41 * ms, 46 * ms, Interval(42 * ms, 45 * ms)),
    span("other", right, 0, 2 * ms, 4 * ms)
  )
}

class SummarySuite extends munit.FunSuite {
  import Spans._

  test("the summary names the longest wait and who caused it") {
    assertEquals(Summary.sentence(queue), "3 tasks on 2 threads; 1 of them spare; longest wait 41 ms behind `parse`")
  }

  test("a task that found its thread free has nobody ahead") {
    assertEquals(Summary.sentence(queue.take(1)), "1 task on 1 thread; longest wait 1 ms")
  }

  test("tasks that still wait are counted") {
    val waiting = TaskSpan("late", "main", None, 5, None, None, Vector.empty, None)
    assertEquals(Summary.sentence(Vector(waiting)), "1 task on 0 threads; 1 task still waiting")
    assertEquals(Summary.sentence(Vector.empty), "no task")
  }

  test("the table has a row for each task, or says that it doesn't") {
    assertEquals(Summary.table(queue).rows.map(_.head), Seq("parse", "query", "other"))
    assertEquals(Summary.table(queue).rows(1).last, "3.00")
    assertEquals(Summary.table(queue).rows(2)(2), "pool-2 (spare)")
    val short = Summary.table(queue, most = 2)
    assertEquals(short.rows.size, 2)
    assertEquals(short.caption, "The first 2 of 3 tasks (ms)")
  }

  test("times and counts are worded as people say them") {
    assertEquals(Seq(0L, 850L, 41000L, 3200000L, 1500000000L).map(Say.nanos), Seq("0 ns", "850 ns", "41 µs", "3.2 ms", "1.5 s"))
    assertEquals(Say.count(1, "task"), "1 task")
    assertEquals(Say.count(1234, "task"), "1,234 tasks")
    assertEquals(Say.count(2, "child", "children"), "2 children")
    assertEquals(Seq(2.0, 0.25, 12.6, 9.96).map(Say.number), Seq("2", "0.25", "13", "10"))
    assertEquals(
      Seq(0.0, 0.0234, -0.05, 4e-7, 1.0e-12, 0.00021).map(Say.number),
      Seq("0", "0.023", "-0.05", "4.0e-7", "1.0e-12", "0.00021")
    )
  }
}

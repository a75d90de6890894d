package lab.exercises

import java.util.concurrent.atomic.AtomicLong

import scala.concurrent.{ExecutionContext, Future}

/** Run many steps on a pool that others use, too. Give the thread back whenever a task has used up its share of time. The answer gets the
  * steps, the share, a clock (both in the clock's units) and the pool. It returns a Future that completes when all steps have run.
  */
object Slices extends Cases[(Iterator[() => Unit], Long, () => Long, ExecutionContext) => Future[Unit]]("02-slices") {
  trial("all steps run, in order, and none before the pool runs it")(
    "Steps run only in tasks on `ec`. So submit the first task, too. The Future completes when the last step has run.",
    "If steps are left when a task ends, submit the next task. `Future(oneTask())(ec).flatMap(…)` is a place for that."
  ) { sliced =>
    val (run, n) = (new Run, some(10, 19))
    val end = sliced(run.steps(n, 10)(), 25, run.clock, run.pool)
    val early = run.ran.size
    run.pool.runAll()
    Seen(s"0 early, then ${(1 to n).mkString(" ")}; done", s"$early early, then ${run.ran.mkString(" ")}; ${done(end)}")
  }
  trial("without any steps, it is done")("An empty iterator has no `next()`. Ask `hasNext` before the first step, too.") { sliced =>
    val run = new Run
    val end = sliced(Iterator.empty, 25, run.clock, run.pool)
    run.pool.runAll()
    Seen("done", end.value.fold("not done")(_.fold(_.toString, _ => "done")))
  }
  trial("a task begins no step once its time is up")(
    "A task gives the thread back by ending. To go on, it submits the next task.",
    "In one task, read the clock. Then run steps until none is left, or until the clock says that `budget` has passed. The next task reads the clock again."
  ) { sliced =>
    val (run, each) = (new Run, some(2, 5))
    val end = sliced(run.steps(3 * each, 10)(), each * 10 - 5L, run.clock, run.pool)
    val tasks = Iterator.continually(run.perTask()).takeWhile(_ => !end.isCompleted || run.pool.size > 0).filter(_ > 0).toVector
    val all = tasks ++ Option.when(run.ran.size > tasks.sum)(run.ran.size - tasks.sum)
    Seen(s"tasks of $each, $each, $each steps", s"tasks of ${all.mkString(", ")} steps").of(s"steps of 10, budget ${each * 10 - 5}")
  }
  trial("a step that takes longer than the share still runs, one for each task")(
    "The time is up after the first step here, but never before it. Run one step, then read the clock."
  ) { sliced =>
    val run = new Run
    sliced(run.steps(4, 100)(), 30, run.clock, run.pool)
    val (first, second) = (run.nextSteps(), run.nextSteps())
    run.pool.runAll()
    Seen("1, 1, 4 in all", s"$first, $second, ${run.ran.size} in all")
  }
  trial("another task waits for at most one of your tasks")(
    "How many of your tasks are already in the queue when another task comes? Submit the next one only when the previous one is done.",
    "Submit the new task at the end of the old one: in `flatMap`, which runs when the steps of this task are done."
  ) { sliced =>
    val run = new Run
    var before = -1
    val steps = run.steps(100, 10, at = 2) { run.pool.execute(() => before = run.ran.size) }
    sliced(steps, 25, run.clock, run.pool)
    run.pool.runAll()
    val after = before - 2
    Seen("at most 3 steps before the other task", s"$after steps before the other task", after >= 0 && after <= 3)
  }
  trial("a step that throws ends it: the Future fails, and no more steps run")(
    "If a task's body throws, its Future fails, and `flatMap` doesn't go on after a failure. Does your code catch the exception, or go on in spite of it?"
  ) { sliced =>
    val run = new Run
    val steps = run.steps(2, 10)() ++ Iterator[() => Unit](() => throw new IllegalStateException("on purpose")) ++ run.steps(5, 10)()
    val end = sliced(steps, 25, run.clock, run.pool)
    run.pool.runAll()
    val how = end.value.fold("not done")(_.fold(_.getMessage, _ => "done"))
    Seen("2 steps, on purpose", s"${run.ran.size} steps, $how")
  }

  private def done(end: Future[Unit]): String = if (end.value.exists(_.isSuccess)) "done" else "not done"

  /** A pool that runs when the case says so, and a clock that only steps move. */
  private final class Run {
    private val time = new AtomicLong(some(0, 999).toLong)
    private var log = Vector.empty[Int]
    val pool = new Held
    val clock: () => Long = () => time.get

    def ran: Vector[Int] = log

    /** Returns steps, each of which takes `each` on the clock.
      *
      * @param happens runs in step number `at`
      */
    def steps(n: Int, each: Long, at: Int = 0)(happens: => Unit = ()): Iterator[() => Unit] =
      Iterator.range(1, n + 1).map { number => () =>
        time.addAndGet(each)
        log :+= number
        if (number == at) happens
      }

    /** Runs the next task, and returns how many steps it ran. */
    def perTask(): Int = {
      val before = log.size
      pool.runOne()
      log.size - before
    }

    /** Runs tasks until one runs any step, and returns how many it ran. */
    def nextSteps(): Int = Iterator.continually(perTask()).find(_ > 0 || pool.size == 0).getOrElse(0)
  }
}

package lab.exercises

import java.util.concurrent.atomic.AtomicLong

import lab.Exercise
import lab.Exercise._

import scala.concurrent.{ExecutionContext, Future}
import scala.util.Random

/** Run many steps on a pool that others use too: give the thread back whenever a task has used up its share of time. The answer gets the
  * steps, the share, a clock (both in the clock's units) and the pool, and returns a Future of the end.
  */
object Slices extends Exercise[(Iterator[() => Unit], Long, () => Long, ExecutionContext) => Future[Unit]]("02-slices") {

  def trials: Trials = share ++ neighbours

  private def share: Trials = Seq(
    Trial("all steps run, in order, and none before the pool says so") { sliced =>
      val (run, n) = (new Run, 10 + Random.nextInt(10))
      val end = sliced(run.steps(n, 10), 25, run.clock, run.pool)
      val early = run.ran.size
      run.pool.runAll()
      Seen(s"0 early, then ${(1 to n).mkString(" ")}; done", s"$early early, then ${run.ran.mkString(" ")}; ${done(end)}")
    },
    Trial("a task begins no step once its time is up") { sliced =>
      val (run, each) = (new Run, 2 + Random.nextInt(4))
      val end = sliced(run.steps(3 * each, 10), each * 10 - 5L, run.clock, run.pool)
      val tasks = Iterator.continually(run.perTask()).takeWhile(_ => !end.isCompleted || run.pool.size > 0).filter(_ > 0).toVector
      val all = tasks ++ Option.when(run.ran.size > tasks.sum)(run.ran.size - tasks.sum)
      Seen(s"$each, $each, $each steps", s"${all.mkString(", ")} steps")
    }
  )

  private def neighbours: Trials = Seq(
    Trial("a step that takes longer than the share is run all the same, one a task") { sliced =>
      val run = new Run
      sliced(run.steps(4, 100), 30, run.clock, run.pool)
      val (first, second) = (run.perTask(), run.perTask())
      run.pool.runAll()
      Seen("1, 1, 4 in all", s"$first, $second, ${run.ran.size} in all")
    },
    Trial("who comes while it runs waits for one task of it at most") { sliced =>
      val run = new Run
      sliced(run.steps(100, 10), 25, run.clock, run.pool)
      run.pool.runOne()
      var before = -1
      run.pool.execute(() => before = run.ran.size)
      val soFar = run.ran.size
      run.pool.runAll()
      Seen("the other one after at most 3 steps", s"the other one after ${before - soFar} steps", before - soFar <= 3)
    },
    Trial("a step that throws ends it: the Future fails, the others don't run") { sliced =>
      val run = new Run
      val steps = run.steps(2, 10) ++ Iterator[() => Unit](() => throw new IllegalStateException("on purpose")) ++ run.steps(5, 10)
      val end = sliced(steps, 25, run.clock, run.pool)
      run.pool.runAll()
      val how = end.value.fold("not done")(_.fold(_.getMessage, _ => "done"))
      Seen("2 steps, on purpose", s"${run.ran.size} steps, $how")
    }
  )

  def hints = Seq(
    "What gives the thread back is the *end* of the task. To go on, the task hands over a new one: it queues up behind those who came meanwhile.",
    "One task: look at the clock, then run steps until there are none left, or until the clock says that `budget` has passed since. Run at least one.",
    "`def next(): Future[Unit] = Future(oneTask())(ec).flatMap(_ => if (steps.hasNext) next() else Future.unit)(ExecutionContext.parasitic)`"
  )

  private def done(end: Future[Unit]): String = if (end.value.exists(_.isSuccess)) "done" else "not done"

  /** A pool that runs what the case says, and a clock that only steps move. */
  private final class Run {
    private val time = new AtomicLong(Random.nextInt(1000).toLong)
    private var log = Vector.empty[Int]
    val pool = new Held
    val clock: () => Long = () => time.get

    def ran: Vector[Int] = log

    def steps(n: Int, each: Long): Iterator[() => Unit] =
      Iterator.range(1, n + 1).map(number => () => { time.addAndGet(each); log :+= number })

    /** How many steps the next task runs. */
    def perTask(): Int = {
      val before = log.size
      pool.runOne()
      log.size - before
    }
  }
}

package lab.exercises

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeoutException}

import lab.machine.GlobalPool
import lab.show.Say

import scala.concurrent.duration._
import scala.concurrent.{BlockContext, CanAwait, ExecutionContext, Future}
import scala.util.{Failure, Success}

/** Design: steps that need one another's results, on a pool that never waits for itself. The answer maps the last step and the pool to a
  * Future of the result.
  */
object WithoutWaiting extends Cases[(Step, ExecutionContext) => Future[Int]]("04-without-waiting") {
  trial("each step gets the results of what it needs, in order")(
    "The result of a step is `step.run(inputs)`, and its inputs are the results of `step.needs`, each made the same way: a function that calls itself.",
    "`Future.traverse(step.needs)(result)` is a Future of all inputs, in their order."
  ) { build =>
    val plan = new Plan
    val parts = Seq.fill(3)(plan.step(plan.step(), plan.step()))
    val goal = plan.step(parts: _*)
    withPool(16)(pool => Seen(s"${plan.resultOf(goal)}", outcome(build(goal, pool))))
  }
  trial("a pool of one thread is enough")(
    "The thread of a step waits for another step, and that one waits for the thread. Who may wait for a result, if no thread may?",
    "A Future may. In place of `Await`, say what comes afterwards: `map` and `flatMap` take a thread only when there is something to run."
  ) { build =>
    val plan = new Plan
    val chain = (1 to some(3, 7)).foldLeft(plan.step())((last, _) => plan.step(last))
    val goal = plan.step(chain, plan.step(plan.step()))
    withPool(1)(pool => Seen(s"${plan.resultOf(goal)}", outcome(build(goal, pool))))
  }
  trial("nothing runs on the caller's thread")(
    "The pool of this case doesn't run anything. What has run all the same did so on the thread of the caller, who wanted a Future at once.",
    "A step without needs has its inputs already, but it still belongs on the pool: `map` on `pool` takes it there, `parasitic` doesn't."
  ) { build =>
    val plan = new Plan
    val goal = plan.step(plan.step(), plan.step())
    val future = build(goal, new Held)
    Seen("0 steps, not complete", s"${plan.ran.size} steps, ${if (future.isCompleted) "complete" else "not complete"}")
  }
  trial("a step that several need runs once")(
    "Two steps need the same one. Who asks for its result second should get the Future that the first one got.",
    "Keep the Futures that you have made, in a map from step to Future, and make one only where there is none."
  ) { build =>
    val plan = new Plan
    val (first, levels) = (Seq.fill(2)(plan.step()), some(4, 6))
    val goal = plan.step((1 to levels).foldLeft(first)((below, _) => Seq.fill(2)(plan.step(below: _*))): _*)
    withPool(2) { pool =>
      val result = outcome(build(goal, pool))
      Seen(s"${plan.resultOf(goal)} in ${2 * levels + 3} runs", s"$result in ${plan.ran.size} runs")
    }
  }
  trial("steps that don't need one another run at the same time")(
    "If each Future is made only when the one before is there, they run one after the other, on however many threads. Make all of them first, then combine them.",
    "A `for` over Futures that are made in it is such a row. `Future.traverse` makes them all at once."
  ) { build =>
    val (plan, together) = (new Plan, new CountDownLatch(3))
    val goal = plan.step(Seq.fill(3)(plan.meeting(together, waits = false)): _*)
    withPool(3) { pool =>
      outcome(build(goal, pool))
      Seen("3 at once", s"${plan.atOnce} at once")
    }
  }
  trial("a step begins as soon as what it needs is there, whatever else still runs")(
    "Here one step takes long, and another one doesn't need it, nor does what follows that. Do you work level by level? Let each step wait for its own needs only."
  ) { build =>
    val (plan, after) = (new Plan, new CountDownLatch(1))
    val long = plan.meeting(after, waits = false, arrives = false)
    val follows = plan.next(plan.step())(after.countDown())
    val goal = plan.step(long, follows)
    withPool(2) { pool =>
      outcome(build(goal, pool))
      either(plan.late.get == 0, "before the long one ended", "not before the long one ended")
    }
  }
  trial("steps that wait say so: on a pool of one thread that hears it, three wait at once")(
    "The pool is like the global one, but of one thread. It starts another thread for one that waits, if it is told.",
    "`blocking { … }` around `step.run(…)`, on the thread that runs it: inside the Future's body, not around the Future."
  ) { build =>
    val (plan, together) = (new Plan, new CountDownLatch(3))
    val goal = plan.step(Seq.fill(3)(plan.meeting(together, waits = true)): _*)
    val pool = GlobalPool(threads = 1)
    try {
      outcome(build(goal, pool))
      Seen("3 at once", s"${plan.atOnce} at once")
        .hintIf(together.getCount == 3)("Not even one began to wait. Does it run on this pool?")
    } finally { pool.shutdownNow(); () }
  }
  trial("steps that compute don't")(
    "Whoever says `blocking` may get another thread started. For one that computes that is a thread too many. `step.waits` tells the two apart."
  ) { build =>
    val (plan, held, ear) = (new Plan, new Held, new Ear)
    val goal = plan.step(plan.step(), plan.noted(ear, waits = true), plan.noted(ear, waits = false))
    BlockContext.withBlockContext(ear) {
      build(goal, held)
      held.runAll()
    }
    Seen("1 that waits, 0 that compute", s"${ear.waiting} that waits, ${ear.computing} that compute")
  }
  trial("a step that fails fails the goal, and what needs it doesn't run")(
    "`map` and `flatMap` aren't called after a failure, and hand it on. Who catches it, or goes on regardless?"
  ) { build =>
    val plan = new Plan
    val bad = plan.next()(throw new IllegalStateException("on purpose"))
    val goal = plan.step(plan.step(), plan.step(bad))
    withPool(2) { pool =>
      val result = outcome(build(goal, pool))
      Seen("on purpose, 1 step ran", s"$result, ${Say.count(plan.ran.size, "step")} ran")
    }
  }

  private def outcome(future: Future[Int]): String = ended(future, 1500.millis) match {
    case Success(value)               => s"$value"
    case Failure(_: TimeoutException) => "no result"
    case Failure(other)               => s"${other.getMessage}"
  }

  /** Steps of a case, and which of them ran. */
  private final class Plan {
    private val (numbers, inside, salt) = (new AtomicInteger, new Most, some(0, 999))
    val ran = new ConcurrentLinkedQueue[String]

    /** How many gave up waiting. */
    val late = new AtomicInteger

    /** How many were inside [[meeting]] at the same time, at most. */
    def atOnce: Int = inside.most

    def step(needs: Step*): Step = next(needs: _*)(())

    def next(needs: Step*)(happens: => Unit): Step = make(needs, waits = false)(happens)

    /** A step that ends when `all` have come, or after a second. */
    def meeting(all: CountDownLatch, waits: Boolean, arrives: Boolean = true): Step = make(Nil, waits) {
      inside.enter()
      if (arrives) all.countDown()
      if (!reach(all, 1.second)) late.incrementAndGet()
      inside.leave()
    }

    def noted(ear: Ear, waits: Boolean): Step = make(Nil, waits)(ear.note(waits))

    /** What comes out if each runs as it should. */
    def resultOf(step: Step): Int = mix(step.name, step.needs.map(resultOf))

    private def make(needs: Seq[Step], waits: Boolean)(happens: => Unit): Step = {
      val name = s"step-${numbers.incrementAndGet()}"
      new Step(name, needs, waits)({ inputs => happens; ran.add(name); mix(name, inputs) })
    }

    private def mix(name: String, inputs: Seq[Int]): Int =
      inputs.foldLeft(name.hashCode % 1000 + salt)((sum, input) => (sum * 31 + input) % 100003)
  }

  /** Hears `blocking`, and knows which steps ran inside it. */
  private final class Ear extends BlockContext {
    private var depth = 0
    var waiting, computing = 0

    def note(waits: Boolean): Unit = if (depth > 0) { if (waits) waiting += 1 else computing += 1 }

    def blockOn[T](body: => T)(implicit permission: CanAwait): T = {
      depth += 1
      try body
      finally depth -= 1
    }
  }
}

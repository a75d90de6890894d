package lab.exercises

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeoutException}

import lab.machine.GlobalPool
import lab.show.Say

import scala.concurrent.duration._
import scala.concurrent.{BlockContext, CanAwait, ExecutionContext, Future}
import scala.util.{Failure, Success}

/** Design: steps that need each other's results, on a pool that never waits for itself. The answer maps the last step and the pool to a
  * Future of the result.
  */
object WithoutWaiting extends Cases[(Step, ExecutionContext) => Future[Int]]("04-without-waiting") {
  trial("each step gets the results of the steps that it needs, in order")(
    "The result of a step is `step.run(inputs)`. Its inputs are the results of `step.needs`, computed in the same way. So write a function that calls itself.",
    "`Future.traverse(step.needs)(result)` is a Future of all inputs, in their order."
  ) { build =>
    val plan = new Plan
    val parts = Seq.fill(3)(plan.step(plan.step(), plan.step()))
    val goal = plan.step(parts: _*)
    withPool(16)(pool => Seen(s"${plan.resultOf(goal)}", outcome(build(goal, pool))))
  }
  trial("a pool of one thread is enough")(
    "The thread of a step waits for another step, and that one waits for the thread. What may wait for a result, if no thread may?",
    "A Future may. Instead of calling `Await`, attach what comes next with `map` and `flatMap`. They take a thread only when there is something to run."
  ) { build =>
    val plan = new Plan
    val chain = (1 to some(3, 7)).foldLeft(plan.step())((last, _) => plan.step(last))
    val goal = plan.step(chain, plan.step(plan.step()))
    withPool(1)(pool => Seen(s"${plan.resultOf(goal)}", outcome(build(goal, pool))))
  }
  trial("nothing runs on the caller's thread")(
    "The pool of this case runs nothing. So the steps that did run ran on the caller's thread, and the caller wanted a Future immediately.",
    "A step without needs already has its inputs, but it still belongs on the pool. `map` on `pool` submits it there, `parasitic` doesn't."
  ) { build =>
    val plan = new Plan
    val goal = plan.step(plan.step(), plan.step())
    val future = build(goal, new Held)
    Seen("0 steps, not complete", s"${plan.ran.size} steps, ${if (future.isCompleted) "complete" else "not complete"}")
  }
  trial("a step that several steps need runs once")(
    "Two steps need the same one. The second one that asks for its result should get the Future that the first one got.",
    "Keep the Futures that you created in a map from step to Future. Create one only if the map has none."
  ) { build =>
    val plan = new Plan
    val (first, levels) = (Seq.fill(2)(plan.step()), some(4, 6))
    val goal = plan.step((1 to levels).foldLeft(first)((below, _) => Seq.fill(2)(plan.step(below: _*))): _*)
    withPool(2) { pool =>
      val result = outcome(build(goal, pool))
      Seen(s"${plan.resultOf(goal)} in ${2 * levels + 3} runs", s"$result in ${plan.ran.size} runs")
    }
  }
  trial("steps that don't need each other run at the same time")(
    "If you create each Future only when the previous one is complete, they run one after the other, on however many threads. Create all of them first, then combine them.",
    "A `for` over Futures that it creates itself runs them in sequence. `Future.traverse` starts them all immediately."
  ) { build =>
    val (plan, together) = (new Plan, new CountDownLatch(3))
    val goal = plan.step(Seq.fill(3)(plan.meeting(together, waits = false)): _*)
    withPool(3) { pool =>
      outcome(build(goal, pool))
      Seen("3 simultaneously", s"${plan.concurrent} simultaneously")
    }
  }
  trial("a step begins as soon as its inputs are there, whatever else still runs")(
    "One step takes long here, and some steps don't need it. Do you work level by level? Let each step wait only for its own needs."
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
  trial("on a pool of one thread that supports `blocking`, three steps that wait do so simultaneously")(
    "The pool is like the global one, but with one thread. `blocking` makes it start an extra thread for a step that waits.",
    "Put `blocking { … }` around `step.run(…)`, on the thread that runs it: inside the Future's body, not around the Future."
  ) { build =>
    val (plan, together) = (new Plan, new CountDownLatch(3))
    val goal = plan.step(Seq.fill(3)(plan.meeting(together, waits = true)): _*)
    val pool = GlobalPool(threads = 1)
    try {
      outcome(build(goal, pool))
      Seen("3 simultaneously", s"${plan.concurrent} simultaneously")
        .hintIf(together.getCount == 3)("Not even one began to wait. Does it run on this pool?")
    } finally { pool.shutdownNow(); () }
  }
  trial("steps that compute don't call `blocking`")(
    "`blocking` may make the pool start another thread. A step that computes doesn't need one. `step.waits` distinguishes the two."
  ) { build =>
    val (plan, held, ear) = (new Plan, new Held, new Ear)
    val goal = plan.step(plan.step(), plan.noted(ear, waits = true), plan.noted(ear, waits = false))
    BlockContext.withBlockContext(ear) {
      build(goal, held)
      held.runAll()
    }
    Seen("1 that waits, 0 that compute", s"${ear.waiting} that waits, ${ear.computing} that compute")
  }
  trial("a step that fails fails the goal, and the steps that need it don't run")(
    "After a failure, `map` and `flatMap` don't call their function, and pass the failure on. Does your code catch it, or go on in spite of it?"
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

  /** The steps of a case, and a record of which ran. */
  private final class Plan {
    private val (numbers, inside, salt) = (new AtomicInteger, new Most, some(0, 999))
    val ran = new ConcurrentLinkedQueue[String]

    /** The number of steps that gave up waiting. */
    val late = new AtomicInteger

    /** Returns the largest number that were inside [[meeting]] at the same time. */
    def concurrent: Int = inside.most

    def step(needs: Step*): Step = next(needs: _*)(())

    def next(needs: Step*)(happens: => Unit): Step = make(needs, waits = false)(happens)

    /** Creates a step that ends when `all` have come, or after a second. */
    def meeting(all: CountDownLatch, waits: Boolean, arrives: Boolean = true): Step = make(Nil, waits) {
      inside.enter()
      if (arrives) all.countDown()
      if (!reach(all, 1.second)) late.incrementAndGet()
      inside.leave()
    }

    def noted(ear: Ear, waits: Boolean): Step = make(Nil, waits)(ear.note(waits))

    /** Returns the result of a step if each step runs as it should. */
    def resultOf(step: Step): Int = mix(step.name, step.needs.map(resultOf))

    private def make(needs: Seq[Step], waits: Boolean)(happens: => Unit): Step = {
      val name = s"step-${numbers.incrementAndGet()}"
      new Step(name, needs, waits)({ inputs => happens; ran.add(name); mix(name, inputs) })
    }

    private def mix(name: String, inputs: Seq[Int]): Int =
      inputs.foldLeft(name.hashCode % 1000 + salt)((sum, input) => (sum * 31 + input) % 100003)
  }

  /** A `BlockContext` that counts the steps that ran inside `blocking`. */
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

package lab.exercises

import java.util.concurrent.{CompletableFuture, TimeUnit}
import java.util.{Map => JavaMap}

import lab.show.Say

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, Future, Promise}

/** Write an ExecutionContext that carries the MDC through `map`, `recover` and a timer, and never leaks.
  *
  * It works on the MDC that the page passes in, which is Logback's, because the lab depends on no logging library.
  */
object Carrying extends Cases[WithMdc]("06-carrying") {

  /** Checks the reader's context.
    *
    * @param copy     returns the MDC of the calling thread. If the thread has none, it returns null, as Logback does, or an empty map
    * @param set      makes a map the MDC of the calling thread
    * @param carrying the reader's function, which wraps a pool
    */
  def check(
      copy: => JavaMap[String, String],
      set: JavaMap[String, String] => Unit,
      carrying: => (ExecutionContext => ExecutionContext)
  ): Unit = check(new WithMdc(() => copy, set, carrying))

  trial("a step finds the MDC of the request that called `map`, though another request completes the Future")(
    "The thread that completes the Future calls `execute`. So your context must have copied the MDC before. Which of its methods does `map` call on its own thread?",
    "Scala calls `prepare()` once for each step, when the step is created. Copy there, and return a context that has the copy."
  ) { answer =>
    val (promise, pool, context) = parts(answer)
    val step = answer.as("req-1")(promise.future.map(_ => answer.id)(context))
    answer.as("req-2")(promise.success(1))
    pool.runAll()
    Seen("req-1", found(step))
  }
  trial("a step of `recover` does, too, and a step inside a step")(
    "The copy is in place while the step runs, so steps that it creates itself copy it from there.",
    "Put the copy in place before `task.run()`, for every task of the context that `prepare()` returns."
  ) { answer =>
    val (promise, pool, context) = parts(answer)
    val (recovered, inner) = answer.as("req-1") {
      val recovered = promise.future.map(_.toString)(context).recover { case _ => answer.id }(context)
      (recovered, recovered.flatMap(_ => Future(answer.id)(context))(context))
    }
    answer.as("req-2")(promise.failure(new Exception("on purpose")))
    pool.runAll()
    Seen("req-1, req-1", s"${found(recovered)}, ${found(inner)}")
  }
  trial("and a step after a timer")(
    "The timer's thread has no MDC, and that thread completes the Future. Where did you copy?"
  ) { answer =>
    withPool(1) { pool =>
      val promise = Promise[Int]()
      val step = answer.as("req-1") {
        CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS, _.run()).execute { () => promise.success(1); () }
        promise.future.map(_ => answer.id)(answer.carrying(pool))
      }
      val seen = Await.ready(step, 2.seconds)
      Seen("req-1; the pool's next task: none", s"${found(seen)}; the pool's next task: ${ended(Future(answer.id)(pool), 2.seconds).get}")
    }
  }
  trial("a task that is submitted by `execute` itself finds the MDC of the thread that submitted it")(
    "Java code doesn't call `prepare()`. It calls `execute` on the context itself, so `execute` has to copy there.",
    "There are two cases. `execute` of your context copies immediately. `execute` of the context that `prepare()` returns uses the copy that it has."
  ) { answer =>
    val (_, pool, context) = parts(answer)
    var seen = "the task didn't run"
    answer.as("req-1")(context.execute { () => seen = answer.id })
    answer.as("req-2")(pool.runAll())
    Seen("req-1", seen)
  }
  trial("two requests that use one context don't get each other's MDC")(
    "One context serves all requests. The copy belongs to the step, so it can't be a field of your context.",
    "Let `prepare()` return a new context for each step, with the copy in a `val`."
  ) { answer =>
    val (promise, pool, context) = parts(answer)
    val steps = Seq("req-1", "req-2", "req-3").map(id => answer.as(id)(promise.future.map(_ => answer.id)(context)))
    promise.success(1)
    pool.runAll()
    Seen("req-1, req-2, req-3", steps.map(found).mkString(", "))
  }
  trial("nothing is left on the pool's thread, even if a task throws")(
    "After `task.run()` the thread goes back to the pool. What does the next task find there that belongs to another request?",
    "In `try task.run() finally …`, put back the MDC that the thread had before, even if it had none."
  ) { answer =>
    val (_, pool, context) = parts(answer)
    val step = answer.as("req-1")(Future(answer.id)(context))
    pool.runAll()
    val after = answer.id
    answer.as("req-1")(context.execute(() => throw new InterruptedException("on purpose")))
    pool.runAll()
    Seen("req-1; then none, none", s"${found(step)}; then $after, ${answer.id}")
  }
  trial("the thread that runs the task has its own MDC back afterwards")(
    "The pool may be a direct context. Then your task runs in the middle of another request. Clearing the MDC isn't putting it back.",
    "Copy what the thread has before you put yours in place. Set that again in the `finally`."
  ) { answer =>
    val (_, pool, context) = parts(answer)
    val step = answer.as("req-1")(Future(answer.id)(context))
    val after = answer.as("req-2") { pool.runAll(); answer.id }
    Seen("req-1; then req-2", s"${found(step)}; then $after")
  }
  trial("a step whose caller has no MDC finds none, even on the thread of a request that has one")(
    "Having no MDC is a state, too. What does `mdc.getCopyOfContextMap` return then, and what does your task do with it?",
    "Call `mdc.setContextMap` in any case. With null, it leaves the thread without an MDC."
  ) { answer =>
    val (promise, pool, context) = parts(answer)
    val step = promise.future.map(_ => answer.id)(context)
    val after = answer.as("req-2") {
      promise.success(1); pool.runAll(); answer.id
    }
    Seen("none; then req-2", s"${found(step)}; then $after")
  }
  trial("the step gets the whole MDC, without entries of another request")(
    "An MDC is a map, and a request may have more than one entry in it. Do you copy all of them?",
    "Replace the map of the thread, as `mdc.setContextMap` does. If you put single entries, the other request's entries stay."
  ) { answer =>
    val (promise, pool, context) = parts(answer)
    val step = answer.as("req-1", "user" -> "ann")(promise.future.map(_ => answer.entries)(context))
    answer.as("req-2", "tenant" -> "shop-2") { promise.success(1); pool.runAll() }
    Seen("request=req-1, user=ann", found(step))
  }
  trial("a step has the MDC of the moment of `map`, and keeps its own changes to itself")(
    "The request goes on after `map`, and may change its MDC. So copy in `prepare()`: not when the context is created, and not later."
  ) { answer =>
    val (promise, pool, context) = parts(answer)
    val steps = answer.as("req-1") {
      val changes = promise.future.map { _ =>
        val first = answer.id; answer.put("req-8"); first
      }(context)
      val other = promise.future.map(_ => answer.id)(context)
      answer.put("req-9")
      Seq(changes, other)
    }
    promise.success(1)
    pool.runAll()
    Seen("req-1, req-1; then none", s"${steps.map(found).mkString(", ")}; then ${answer.id}")
  }
  trial("a step is one task of the pool, and runs when the pool runs it")(
    "Your context has no thread and no queue. It wraps each task and submits it by `pool.execute`."
  ) { answer =>
    val (_, pool, context) = parts(answer)
    val step = answer.as("req-1")(Future.successful(1).map(_ => answer.id)(context))
    val (tasks, early) = (pool.size, step.isCompleted)
    pool.runAll()
    Seen("1 task; early: no", s"${Say.count(tasks, "task")}; early: ${if (early || !step.isCompleted) "yes" else "no"}")
  }

  private def found(step: Future[String]): String = outcome(step, none = "the step didn't run")

  private def parts(answer: WithMdc): (Promise[Int], Held, ExecutionContext) = {
    val pool = new Held
    (Promise[Int](), pool, answer.carrying(pool))
  }
}

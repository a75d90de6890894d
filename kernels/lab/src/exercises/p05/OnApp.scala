package lab.exercises

import lab.show.Say

import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.util.Random

/** Wrap a client so that whatever comes after its answer runs on the application's pool, although the steps themselves name no pool. */
object OnApp extends Cases[(Int => Future[String], ExecutionContext) => Int => Future[String]]("05-on-app") {
  trial("the step after an answer runs on the application's pool")(
    "A step under a direct context runs on the thread that completes its Future. Which Future does the step see, and which thread should complete that one?",
    "Don't return the client's Future. Return one that a task on `app` completes. Any step that changes nothing will do.",
    "`client(n).map(identity)(app)`."
  ) { onApp =>
    val (answer, app) = (Promise[String](), new Held)
    val step = onApp(_ => answer.future, app)(1).map(_ => "ran")(ExecutionContext.parasitic)
    answer.success("x")
    seen(step, app, "ran")
  }
  trial("a step after a failure does, too")(
    "You bring successes back. After a failure, `flatMap` and `foreach` do nothing, and the thread that failed runs the next step. Which methods move both to `app`?"
  ) { onApp =>
    val (answer, app) = (Promise[String](), new Held)
    val step = onApp(_ => answer.future, app)(1).recover { case _ => "recovered" }(ExecutionContext.parasitic)
    answer.failure(new Exception("on purpose"))
    seen(step, app, "recovered")
  }
  trial("the client is called immediately, on the caller's thread")(
    "Only what comes after the answer moves to `app`. Call the client outside of any Future that you create. It returns one already."
  ) { onApp =>
    val caller = Thread.currentThread
    var calls = Vector.empty[Thread]
    val _ = onApp(_ => { calls :+= Thread.currentThread; Promise[String]().future }, new Held)(1)
    val by = if (calls.forall(_ == caller)) "the caller" else "another thread"
    Seen("1 call, by the caller", s"${Say.count(calls.size, "call")}, by $by")
  }
  trial("question and answer arrive unchanged")("The step on `app` changes nothing: `identity`.") { onApp =>
    val (app, n) = (new Held, Random.nextInt(1000))
    val answer = Promise[String]()
    val out = onApp(number => { answer.success(s"answer to $number"); answer.future }, app)(n)
    app.runAll()
    Seen(s"Some(Success(answer to $n))", s"${out.value}")
  }
  trial("the pool gets one task, which doesn't wait there for the answer")(
    "A task that is submitted before the answer is there can only wait for it. If there is more than one task, what does the second one do?",
    "Attach one step on `app` to the client's own Future. It becomes a task when the answer comes."
  ) { onApp =>
    val (answer, app) = (Promise[String](), new Held)
    var tasks = 0
    val _ = onApp(_ => answer.future, contextOf { task => tasks += 1; app.execute(task) })(1)
    val early = tasks
    answer.success("x")
    app.runAll()
    Seen("0 before the answer, 1 in all", s"$early before the answer, $tasks in all")
  }

  private def seen(step: Future[String], app: Held, expected: String): Seen = {
    val early = if (step.isCompleted) "the result came" else "nothing"
    app.runAll()
    Seen(s"nothing before the pool runs it, then $expected", s"$early before the pool runs it, then ${outcome(step, none = "nothing")}")
  }
}

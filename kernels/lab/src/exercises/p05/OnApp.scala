package lab.exercises

import lab.page.Exercise
import lab.page.Exercise._

import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.util.Random

/** Wrap a client so that whatever comes after its answer runs on the application's pool, though the steps themselves name no pool. */
object OnApp extends Exercise[(Int => Future[String], ExecutionContext) => Int => Future[String]]("05-on-app") {

  def trials: Trials = afterwards ++ once

  private def afterwards: Trials = Seq(
    Trial(
      "the step after an answer runs on the application's pool",
      "A step under a direct context runs on the thread that completes the Future before it. Which Future does the step see, and who should complete that one?",
      "Return another Future than the client's: one that is completed by a task on `app`. Any step that changes nothing will do.",
      "`client(n).map(identity)(app)`."
    ) { onApp =>
      val (answer, app) = (Promise[String](), new Held)
      val step = onApp(_ => answer.future, app)(1).map(_ => "ran")(ExecutionContext.parasitic)
      answer.success("x")
      Seen("nothing before the pool runs it, then ran", s"${came(step.isCompleted)} before the pool runs it, then ${outcome(step, app)}")
    },
    Trial(
      "so does the step after a failure",
      "You bring successes back. `flatMap` and `foreach` do nothing after a failure, and leave it with whoever failed; which methods take either end to `app`?"
    ) { onApp =>
      val (answer, app) = (Promise[String](), new Held)
      val step = onApp(_ => answer.future, app)(1).recover { case _ => "recovered" }(ExecutionContext.parasitic)
      answer.failure(new Exception("on purpose"))
      Seen(
        "nothing before the pool runs it, then recovered",
        s"${came(step.isCompleted)} before the pool runs it, then ${outcome(step, app)}"
      )
    }
  )

  private def once: Trials = Seq(
    Trial(
      "the client is called at once, by whoever calls",
      "Only what comes after the answer moves to `app`. The call itself stays outside of any Future of yours, and there is one."
    ) { onApp =>
      val caller = Thread.currentThread
      var calls = Vector.empty[Thread]
      val _ = onApp(_ => { calls :+= Thread.currentThread; Promise[String]().future }, new Held)(1)
      Seen(
        "1 call, by the caller",
        s"${lab.show.Say.count(calls.size, "call")}, by ${if (calls.forall(_ == caller)) "the caller" else "another thread"}"
      )
    },
    Trial("question and answer arrive unchanged", "The step on `app` changes nothing: `identity`.") { onApp =>
      val (app, n) = (new Held, Random.nextInt(1000))
      val answer = Promise[String]()
      val out = onApp(number => { answer.success(s"answer to $number"); answer.future }, app)(n)
      app.runAll()
      Seen(s"Some(Success(answer to $n))", s"${out.value}")
    },
    Trial(
      "one task for the pool, and none that waits for the answer there",
      "A task that is at the pool before the answer is there can only wait for it. More than one task: what does the second one do?",
      "One step on `app`, attached to the client's own Future: it becomes a task when the answer comes."
    ) { onApp =>
      val (answer, app) = (Promise[String](), new Counting)
      val _ = onApp(_ => answer.future, app)(1)
      val early = app.tasks
      answer.success("x")
      app.runAll()
      Seen("0 before the answer, 1 in all", s"$early before the answer, ${app.tasks} in all")
    }
  )

  private def came(completed: Boolean): String = if (completed) "the result came" else "nothing"

  private def outcome(step: Future[String], app: Held): String = {
    app.runAll()
    step.value.fold("nothing")(_.fold(_.toString, identity))
  }

  private final class Counting extends ExecutionContext {
    private val held = new Held
    var tasks = 0
    def execute(task: Runnable): Unit = { tasks += 1; held.execute(task) }
    def reportFailure(cause: Throwable): Unit = held.reportFailure(cause)
    def runAll(): Unit = held.runAll()
  }
}

package lab.capstone

import java.util.concurrent.{CompletableFuture, CountDownLatch, Executor, RejectedExecutionException, TimeUnit}

import lab.load.Nap
import lab.machine.Settle

import scala.concurrent.{Await, Future}
import scala.concurrent.duration._
import scala.util.{Failure, Using}

class ContextsSuite extends munit.FunSuite {
  private val layout = Layout(
    "a layout",
    Seq(Pool("app", 1), Pool("jdbc", 2, queue = 1), Pool("clock", 1)),
    app = "app",
    render = "loops",
    query = "jdbc",
    refresh = "virtual",
    timers = "clock",
    timeOut = 50.millis
  )
  private val loops: Executor = task => new Thread(task, "loops-nio-1").start()
  private def on[A](layout: Layout = layout)(use: Contexts => A): A = Using.resource(new Contexts(layout, loops))(use)
  private def here: String = Nap.family(Thread.currentThread.getName)
  private def result[A](future: Future[A]): A = Await.result(future, 20.seconds)

  test("each task runs on its place, and is counted there") {
    on() { contexts =>
      val ran = Seq(contexts.app, contexts.render, contexts.query, contexts.refresh).map(context => result(Future(here)(context)))
      assertEquals(ran, Seq("app", "loops-nio", "jdbc", "virtual"))
      assertEquals(contexts.steps(("query", "jdbc")), 1L)
    }
    on(layout.copy(app = "direct"))(contexts => assertEquals(result(Future(here)(contexts.app)), here))
  }

  test("a bounded queue rejects tasks, an unbounded one takes all") {
    on() { contexts =>
      val (begun, end) = (new CountDownLatch(2), new CountDownLatch(1))
      val held = Seq.fill(2)(Future { begun.countDown(); end.await() }(contexts.query))
      assert(begun.await(20, TimeUnit.SECONDS))
      val queued = Future(1)(contexts.query)
      assert(Await.ready(Future(2)(contexts.query), 20.seconds).value.exists {
        case Failure(_: RejectedExecutionException) => true
        case _                                      => false
      })
      val many = Seq.fill(100)(Future(1)(contexts.app))
      assertEquals(many.map(result(_)).sum, 100)
      end.countDown()
      held.foreach(result(_))
      assertEquals(result(queued), 1)
    }
  }

  test("a late call is cancelled, a punctual one isn't") {
    on() { contexts =>
      val (never, there) = (new CompletableFuture[String], CompletableFuture.completedFuture("there"))
      assertEquals(result(contexts.within(there)), "there")
      assert(intercept[Contexts.TooLate](result(contexts.within(never))).getMessage.contains("50 ms"))
      assertEquals(Settle(1)(if (never.isCancelled) 1 else 0), 1)
      assertEquals(contexts.lateness.size, 1)
    }
  }

  test("if the timers' thread is occupied, a time-out comes late") {
    on(layout.copy(query = "clock")) { contexts =>
      val (begun, end) = (new CountDownLatch(1), new CountDownLatch(1))
      val held = Future { begun.countDown(); end.await() }(contexts.query)
      assert(begun.await(20, TimeUnit.SECONDS))
      val late = contexts.within(new CompletableFuture[String])
      assertEquals(Settle(1, quiet = 200.millis)(if (late.isCompleted) 1 else 0), 0)
      end.countDown()
      result(held)
      intercept[Contexts.TooLate](result(late))
    }
  }
}

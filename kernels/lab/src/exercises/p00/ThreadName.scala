package lab.exercises

import java.util.concurrent.CountDownLatch

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.util.Random

/** Ask a pool for the name of one of its threads. */
object ThreadName extends Cases[ExecutionContext => Future[String]]("00-thread-name") {
  trial("the name is that of a thread of the pool")(
    "`Thread.currentThread.getName` returns the name of the thread that evaluates it. So evaluate it on the pool.",
    "`Future(…)(pool)` submits the expression in its first parentheses to `pool`."
  ) { ask =>
    val name = s"thread-${Random.nextInt(1000)}"
    Seen(expected = name, happened = Await.result(ask(named(name)), 2.seconds))
  }
  trial("the caller doesn't wait while the pool is busy")(
    "The pool of this case has one thread, and that thread is busy. The caller gets a Future immediately. The name comes later.",
    "Return the Future as it is. Don't call `Await`, or anything else that needs its value now."
  ) { ask =>
    withPool(1) { pool =>
      val release = new CountDownLatch(1)
      pool.execute(() => release.await())
      val answered = ask(pool).isCompleted
      release.countDown()
      either(!answered, "no answer yet", "an answer, though the only thread was busy")
    }
  }

  /** Runs each task on a thread of this name. */
  private def named(name: String): ExecutionContext = contextOf { task =>
    val thread = daemons.newThread(task)
    thread.setName(name)
    thread.start()
  }
}

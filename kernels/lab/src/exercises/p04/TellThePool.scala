package lab.exercises

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, ForkJoinPool, ForkJoinWorkerThread, Semaphore}

import lab.machine.{GlobalPool, Settle}

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, ExecutionContextExecutorService, Future}
import scala.jdk.CollectionConverters._
import scala.util.Random

/** Wait for a message on a pool that others use, too. */
object TellThePool extends Cases[(() => Int, ExecutionContext) => Future[Int]]("04-tell") {
  trial("the Future is there before the message, and completes with it")(
    "`receive()` waits. It has to wait on a thread of the pool, not on yours, so call it in a `Future`."
  ) { receive =>
    onTwo { pool =>
      val (mail, message) = (new Mail, Random.nextInt(1000))
      val future = receive(() => mail.receive(), pool)
      val early = future.isCompleted
      mail.send(message)
      Seen(s"not complete, then $message", s"${if (early) "complete" else "not complete"}, then ${Await.result(future, 2.seconds)}")
    }
  }
  trial("while many wait, other tasks of the pool run; every message arrives")(
    "Two waiting tasks occupy both threads of the pool. Nothing has notified the pool that they wait.",
    "`blocking` notifies the thread that calls it. Is it inside the Future or around it? And is `receive()` inside `blocking`?"
  ) { receive =>
    onTwo { pool =>
      val (mail, ran) = (new Mail, new CountDownLatch(1))
      val futures = Seq.fill(10)(receive(() => mail.receive(), pool))
      Settle(10)(mail.receivers.size)
      pool.execute(() => ran.countDown())
      val runs = reach(ran, 1.second)
      val messages = Seq.fill(10)(Random.nextInt(1000))
      messages.foreach(mail.send)
      val arrived = futures.map(Await.result(_, 1.second))
      val (all, other) = (if (arrived.sorted == messages.sorted) "all" else "not all", if (runs) "runs" else "doesn't run")
      Seen("another task runs, all arrive", s"another task $other, $all arrive")
    }
  }
  trial("`receive` is called once, on a thread of the pool")(
    "The pool can only compensate for its own threads. On which thread does your `receive()` run, and how often?"
  ) { receive =>
    onTwo { pool =>
      val mail = new Mail
      val future = receive(() => mail.receive(), pool)
      mail.send(1)
      Await.ready(future, 2.seconds)
      val (own, others) = mail.receivers.asScala.toSeq.partition {
        case worker: ForkJoinWorkerThread => worker.getPool == pool
        case _                            => false
      }
      Seen("1 call on the pool, 0 elsewhere", s"${own.size} call on the pool, ${others.size} elsewhere")
    }
  }

  private def onTwo[T](use: ForkJoinPool with ExecutionContextExecutorService => T): T = {
    val pool = GlobalPool(threads = 2)
    try use(pool)
    finally { pool.shutdownNow(); () }
  }

  /** Messages, and the threads that waited for them. A queue's own `take` isn't suitable, because it waits on a `Condition`, which notifies
    * a fork-join pool by itself.
    */
  private final class Mail {
    val receivers = new ConcurrentLinkedQueue[Thread]
    private val messages = new ConcurrentLinkedQueue[Int]
    private val ready = new Semaphore(0)

    def send(message: Int): Unit = { messages.add(message); ready.release() }
    def receive(): Int = {
      receivers.add(Thread.currentThread)
      ready.acquire()
      messages.poll()
    }
  }
}

package lab.exercises

import java.util.concurrent.{
  BlockingQueue,
  ConcurrentLinkedQueue,
  CountDownLatch,
  ForkJoinPool,
  ForkJoinWorkerThread,
  LinkedBlockingQueue,
  TimeUnit
}

import lab.Exercise._
import lab.{Exercise, GlobalPool}

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, ExecutionContextExecutorService, Future}
import scala.jdk.CollectionConverters._
import scala.util.Random

/** Take from a queue that may be empty, on a pool that others use too. */
object TellThePool extends Exercise[(BlockingQueue[Int], ExecutionContext) => Future[Int]]("04-tell") {

  def trials = Seq(
    Trial("the Future is there before anything is in the queue, and gets what comes") { take =>
      onTwo { pool =>
        val (queue, value) = (new Watched, Random.nextInt(1000))
        val future = take(queue, pool)
        val early = future.isCompleted
        queue.put(value)
        Seen(s"not complete, then $value", s"${if (early) "complete" else "not complete"}, then ${Await.result(future, 2.seconds)}")
      }
    },
    Trial("while many wait, other tasks of the pool run") { take =>
      onTwo { pool =>
        val (queue, ran) = (new Watched, new CountDownLatch(1))
        val futures = Seq.fill(10)(take(queue, pool))
        reach(queue.asked(10), 1.second)
        pool.execute(() => ran.countDown())
        val free = reach(ran, 1.second)
        val values = Seq.fill(10)(Random.nextInt(1000))
        values.foreach(queue.put(_))
        val got = futures.map(Await.result(_, 2.seconds))
        Seen(
          "a short task runs; every value arrives",
          s"${if (free) "a short task runs" else "no task runs"}; ${if (got.sorted == values.sorted) "every value arrives"
            else "values are lost"}"
        )
      }
    },
    Trial("the queue is asked once, by a thread of the pool") { take =>
      onTwo { pool =>
        val queue = new Watched
        val future = take(queue, pool)
        Thread.sleep(50)
        queue.put(1)
        Await.ready(future, 2.seconds)
        val where = queue.callers.asScala.toSeq.map {
          case worker: ForkJoinWorkerThread if worker.getPool == pool => "the pool's"
          case _                                                      => "another"
        }
        Seen(
          "asked once, on the pool's thread",
          s"asked ${if (where.size == 1) "once" else s"${where.size} times"}, on ${where.distinct.mkString(" and ")} thread"
        )
      }
    }
  )

  def hints = Seq(
    "`queue.take()` waits. It has to wait on a thread of the pool, so it goes into a `Future`.",
    "Two waits, and a pool of two threads is stuck: nobody told it that they would wait.",
    "`blocking` speaks about the thread that runs it. Is it inside the Future or around it?"
  )

  private def onTwo[T](use: ForkJoinPool with ExecutionContextExecutorService => T): T = {
    val pool = GlobalPool(threads = 2)
    try use(pool)
    finally { pool.shutdownNow(); () }
  }

  /** Knows who asked it. */
  private final class Watched extends LinkedBlockingQueue[Int] {
    val callers = new ConcurrentLinkedQueue[Thread]
    private val tenth = new CountDownLatch(10)

    def asked(times: Int): CountDownLatch = { require(times == 10); tenth }

    private def note(): Unit = { callers.add(Thread.currentThread); tenth.countDown() }
    override def take(): Int = { note(); super.take() }
    override def poll(): Int = { note(); super.poll() }
    override def poll(time: Long, unit: TimeUnit): Int = { note(); super.poll(time, unit) }
  }
}

package lab.machine

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import scala.jdk.CollectionConverters._
import scala.util.Using

class RankedPoolSuite extends munit.FunSuite {

  /** Submits tasks by rank while the only thread is busy, and returns the order in which they ran. */
  private def order(byRank: Boolean)(ranks: Int*): Seq[Int] = {
    val (ran, busy) = (new ConcurrentLinkedQueue[Int], new CountDownLatch(1))
    Using.resource(new RankedPool("ranked", 1, byRank)) { pool =>
      pool.rank(9).execute(() => busy.await())
      ranks.foreach(rank => pool.rank(rank).execute(() => { ran.add(rank): Unit }))
      busy.countDown()
    }
    ran.asScala.toSeq
  }

  test("the waiting task with the lowest rank is next, and a running task is not interrupted") {
    assertEquals(order(byRank = true)(1, 0, 1, 0), Seq(0, 0, 1, 1))
  }

  test("without ranks, tasks run in the order in which they came") {
    assertEquals(order(byRank = false)(1, 0, 1, 0), Seq(1, 0, 1, 0))
  }

  test("the threads are daemons with the pool's name, and a task without a rank comes first") {
    val (ran, busy) = (new ConcurrentLinkedQueue[String], new CountDownLatch(1))
    Using.resource(new RankedPool("ranked", 1, byRank = true)) { pool =>
      pool.execute(() => {
        val thread = Thread.currentThread
        ran.add(s"${thread.getName} ${thread.isDaemon}")
        busy.await(10, TimeUnit.SECONDS): Unit
      })
      pool.rank(0).execute(() => { ran.add("rank 0"): Unit })
      pool.execute(() => { ran.add("no rank"): Unit })
      busy.countDown()
    }
    assertEquals(ran.asScala.toSeq, Seq("ranked-1 true", "no rank", "rank 0"))
  }
}

package lab.exercises

import java.util.concurrent.{CountDownLatch, ForkJoinPool}
import java.util.concurrent.atomic.AtomicInteger

import lab.Exercise._
import lab.{Exercise, GlobalPool, Settle}

import scala.concurrent.duration._
import scala.concurrent.{blocking, ExecutionContextExecutorService, Future}
import scala.util.Random

/** Design: pools that hear `blocking`, for queries that wait and parses that compute. The answer maps CPUs and connections to pools; a pool is its threads, its
  * extra threads, and the kinds of task that it takes.
  */
object BlockingLayout extends Exercise[(Int, Int) => Seq[(Int, Int, Set[String])]]("04-layout") {
  private type Layout = Seq[(Int, Int, Set[String])]
  private val kinds = Seq("query", "parse")

  def trials = Seq(
    Trial("each kind of task has one pool") { layout =>
      val pools = layout(4, 10)
      Seen(kinds.map(_ -> 1).toMap, kinds.map(kind => kind -> pools.count(_._3(kind))).toMap)
    },
    trial("as many queries at once as there are connections, not more")((_, connections) => connections)(_.queries),
    trial("one parse for each CPU, while all queries wait")((cpus, _) => cpus)(_.parses),
    Trial("no thread more than needed") { layout =>
      val (cpus, connections) = service()
      val threads = crowd(layout(cpus, connections)).threads
      Seen(s"at most ${cpus + connections} threads", s"$threads threads", threads <= cpus + connections)
    }
  )

  def hints = Seq(
    "What does a pool with `extra` keep for those who don't block? Look at the chart of what is left.",
    "The limit on queries must be exact: it is the number of connections. Which of your numbers is the limit: threads, or extra + 1?",
    "Two pools. Parses get one whose threads nobody blocks; queries one that holds `connections` of them, with or without spare threads."
  )

  private def service(): (Int, Int) = (3 + Random.nextInt(2), 7 + Random.nextInt(6))

  private def trial(name: String)(expected: (Int, Int) => Int)(seen: Crowd => Int): Trial[(Int, Int) => Layout] =
    Trial(name) { layout =>
      val (cpus, connections) = service()
      Seen(expected(cpus, connections), seen(crowd(layout(cpus, connections))))
    }

  private final case class Crowd(queries: Int, parses: Int, threads: Int)

  /** 30 queries, then 30 parses come, and none of them ends. Queries say `blocking`, parses don't. */
  private def crowd(layout: Layout): Crowd = {
    val end = new CountDownLatch(1)
    val (queries, parses) = (new AtomicInteger, new AtomicInteger)
    val pools = layout.map { case (threads, extra, own) => (pool(threads, extra), own) }
    def poolOf(kind: String) = pools.collectFirst { case (pool, own) if own(kind) => pool }
    try {
      for (_ <- 1 to 30; pool <- poolOf("query")) Future(blocking { queries.incrementAndGet(); end.await() })(pool)
      Settle(30, quiet = 300.millis)(queries.get)
      for (_ <- 1 to 30; pool <- poolOf("parse")) Future { parses.incrementAndGet(); end.await() }(pool)
      Settle(30, quiet = 300.millis)(parses.get)
      Crowd(queries.get, parses.get, pools.map(_._1.getPoolSize).sum)
    } finally {
      end.countDown()
      pools.foreach(_._1.shutdownNow())
    }
  }

  private def pool(threads: Int, extra: Int): ForkJoinPool with ExecutionContextExecutorService = {
    if (threads < 1 || extra < 0 || threads + extra > 400)
      throw new IllegalArgumentException(s"a pool of $threads threads and $extra extra; 1 and 0 are the least, 400 together the most")
    GlobalPool(threads, extra)
  }
}

package lab.exercises

import java.util.concurrent.{CountDownLatch, ForkJoinPool}
import java.util.concurrent.atomic.AtomicInteger

import lab.Exercise._
import lab.{Exercise, GlobalPool, PoolSpec, Settle}

import scala.concurrent.duration._
import scala.concurrent.{blocking, ExecutionContextExecutorService, Future}
import scala.util.Random

/** Design: pools that hear `blocking`, for queries that wait and parses that compute. The answer maps CPUs and connections to pools; a pool
  * is its threads, its extra threads, and the kinds of task that it takes.
  */
object BlockingLayout extends Exercise[(Int, Int) => Seq[PoolSpec]]("04-layout") {
  private val kinds = Seq("query", "parse")

  def trials = Seq(
    Trial("each kind of task has one pool") { layout =>
      Layout.onePoolEach(kinds, layout(4, 10))
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

  private def trial(name: String)(expected: (Int, Int) => Int)(seen: Crowd => Int): Trial[(Int, Int) => Seq[PoolSpec]] =
    Trial(name) { layout =>
      val (cpus, connections) = service()
      Seen(expected(cpus, connections), seen(crowd(layout(cpus, connections))))
    }

  private final case class Crowd(queries: Int, parses: Int, threads: Int)

  /** 30 queries, then 30 parses come, and none of them ends. Queries say `blocking`, parses don't. */
  private def crowd(layout: Seq[PoolSpec]): Crowd = {
    val end = new CountDownLatch(1)
    val (queries, parses) = (new AtomicInteger, new AtomicInteger)
    val pools = layout.map(spec => spec -> pool(spec))
    def poolOf(kind: String) = pools.collectFirst { case (spec, pool) if spec.kinds(kind) => pool }
    try {
      for (_ <- 1 to 30; pool <- poolOf("query")) Future(blocking { queries.incrementAndGet(); end.await() })(pool)
      Settle(30, quiet = 300.millis)(queries.get)
      for (_ <- 1 to 30; pool <- poolOf("parse")) Future { parses.incrementAndGet(); end.await() }(pool)
      Settle(30, quiet = 300.millis)(parses.get)
      Crowd(queries.get, parses.get, pools.map(_._2.getPoolSize).sum)
    } finally {
      end.countDown()
      pools.foreach(_._2.shutdownNow())
    }
  }

  private def pool(spec: PoolSpec): ForkJoinPool with ExecutionContextExecutorService = {
    if (spec.threads < 1 || spec.extra < 0 || spec.threads + spec.extra > 400)
      throw new IllegalArgumentException(
        s"a pool of ${spec.threads} threads and ${spec.extra} extra; 1 and 0 are the least, 400 together the most"
      )
    GlobalPool(spec.threads, spec.extra)
  }
}

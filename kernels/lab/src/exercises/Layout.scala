package lab.exercises

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, ExecutorService, Executors}

import lab.Exercise
import lab.Exercise.reach

import scala.concurrent.duration._

/** Pools as a reader lays them out: each a number of threads and the kinds of tasks that it takes. */
private[exercises] object Layout {
  type Pools = Seq[(Int, Set[String])]

  /** How many tasks of the kind `asked` get to start when `stuck` come, of which none ends. If it isn't among them, one comes last. */
  def started(layout: Pools, stuck: Seq[String], asked: String): Int = {
    val release = new CountDownLatch(1)
    val pools = layout.map { case (threads, own) => (pool(threads), threads, own) }
    try {
      val count = (asked +: stuck).distinct.map(_ -> new AtomicInteger).toMap
      def poolOf(kind: String) = pools.find(_._3(kind)).map(_._1)
      val willStart = pools.map { case (_, threads, own) => threads.min(stuck.count(own)) }.sum
      val (busy, answered) = (new CountDownLatch(willStart), new CountDownLatch(1))
      stuck.foreach(kind => poolOf(kind).foreach(_.execute { () => count(kind).incrementAndGet(); busy.countDown(); release.await() }))
      reach(busy)
      if (!stuck.contains(asked)) {
        poolOf(asked).foreach(_.execute { () => count(asked).incrementAndGet(); answered.countDown() })
        reach(answered, 1.second)
      }
      count(asked).get
    } finally {
      release.countDown()
      pools.foreach(_._1.shutdownNow())
    }
  }

  private def pool(threads: Int): ExecutorService = {
    if (threads < 1 || threads > 64) throw new IllegalArgumentException(s"a pool of $threads threads; 1 to 64 were expected")
    Executors.newFixedThreadPool(threads, Exercise.threads)
  }
}

package lab.exercises

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, ExecutorService, Executors}

import lab.page.PoolSpec

import scala.concurrent.duration._

/** Tries the pools that a reader laid out. */
private[exercises] object TriedPools extends Tools {

  /** Checks that each of `kinds` has exactly one pool. */
  def onePoolEach(kinds: Seq[String], pools: Seq[PoolSpec]): Seen =
    Seen(kinds.map(_ -> 1).toMap, kinds.map(kind => kind -> pools.count(_.kinds(kind))).toMap)

  /** Returns how many tasks of the kind `asked` start if `stuck` come and none of them ends. If `stuck` doesn't contain that kind, one such
    * task comes last.
    */
  def started(layout: Seq[PoolSpec], stuck: Seq[String], asked: String): Int = {
    val release = new CountDownLatch(1)
    val pools = layout.map(spec => spec -> pool(spec.threads))
    try {
      val count = (asked +: stuck).distinct.map(_ -> new AtomicInteger).toMap
      def poolOf(kind: String) = pools.collectFirst { case (spec, pool) if spec.kinds(kind) => pool }
      val willStart = layout.map(spec => spec.threads.min(stuck.count(spec.kinds))).sum
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
      pools.foreach(_._2.shutdownNow())
    }
  }

  private def pool(threads: Int): ExecutorService = {
    if (threads < 1 || threads > 64) throw new IllegalArgumentException(s"a pool of $threads threads; 1 to 64 were expected")
    Executors.newFixedThreadPool(threads, daemons)
  }
}

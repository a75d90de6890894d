package lab.machine

import java.lang.management.{GarbageCollectorMXBean, ManagementFactory}
import java.lang.ref.Reference

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** Produces garbage until the garbage collector has cleared the young generation a number of times. */
object MinorCollections {

  /** Waits for `count` more minor collections. Returns how many there were meanwhile, and how long they took together, as the collector
    * itself reports it (each in whole milliseconds).
    *
    * @throws java.lang.IllegalArgumentException if `count` is less than 1
    * @throws java.lang.IllegalStateException if the collector has no young generation that the course knows, or 30 seconds weren't enough
    */
  def apply(count: Int): (Int, FiniteDuration) = {
    if (count < 1) throw new IllegalArgumentException(s"1 minor collection is the least, not $count")
    val young = beans
      .find(bean => names(bean.getName))
      .getOrElse(
        throw new IllegalStateException(s"none of ${beans.map(_.getName).mkString(", ")} is known to clear only the young generation")
      )
    val (before, took, limit) = (young.getCollectionCount, young.getCollectionTime, 30.seconds.fromNow)
    def happened: Int = (young.getCollectionCount - before).toInt
    // Checked from time to time only. Asking the bean produces hardly any garbage.
    while (happened < count) {
      if (limit.isOverdue()) throw new IllegalStateException(s"after 30 seconds of garbage, ${young.getName} had run only $happened times")
      val garbage = Array.fill(64)(new Array[Byte](16 * 1024))
      Reference.reachabilityFence(garbage) // so that no compiler leaves it out
    }
    (happened, (young.getCollectionTime - took).millis)
  }

  private def beans: Seq[GarbageCollectorMXBean] = ManagementFactory.getGarbageCollectorMXBeans.asScala.toSeq

  /** The names of Serial, G1, Parallel and Z. */
  private val names = Set("Copy", "G1 Young Generation", "PS Scavenge", "ZGC Minor Cycles")
}

package lab.machine

import java.lang.management.{GarbageCollectorMXBean, ManagementFactory}
import java.lang.ref.Reference

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** Makes garbage until the garbage collector has cleared the young generation so often: for what is said to happen when it does.
  */
object MinorCollections {

  /** Waits for `count` more minor collections than there were, and returns how many there have been meanwhile and how long they took
    * together, as the collector itself tells (in whole milliseconds each).
    *
    * @throws java.lang.IllegalArgumentException if `count` is less than 1
    * @throws java.lang.IllegalStateException if the collector has no young generation that the course knows, or 30 seconds weren't enough
    */
  def apply(count: Int): (Int, FiniteDuration) = {
    if (count < 1) throw new IllegalArgumentException(s"1 minor collection is the least, not $count")
    val young = beans
      .find(bean => names(bean.getName))
      .getOrElse(
        throw new IllegalStateException(s"none of the collectors ${beans.map(_.getName).mkString(", ")} is known to clear the young alone")
      )
    val (before, took, limit) = (young.getCollectionCount, young.getCollectionTime, 30.seconds.fromNow)
    def happened: Int = (young.getCollectionCount - before).toInt
    // Looked at from time to time: asking the bean makes no garbage worth mentioning.
    while (happened < count) {
      if (limit.isOverdue()) throw new IllegalStateException(s"after 30 seconds of making garbage ${young.getName} had run $happened times")
      val garbage = Array.fill(64)(new Array[Byte](16 * 1024))
      Reference.reachabilityFence(garbage) // so that no compiler leaves it out
    }
    (happened, (young.getCollectionTime - took).millis)
  }

  private def beans: Seq[GarbageCollectorMXBean] = ManagementFactory.getGarbageCollectorMXBeans.asScala.toSeq

  /** Serial, G1, Parallel and Z. */
  private val names = Set("Copy", "G1 Young Generation", "PS Scavenge", "ZGC Minor Cycles")
}

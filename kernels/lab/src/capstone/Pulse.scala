package lab.capstone

import java.lang.management.ManagementFactory.getThreadMXBean
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.locks.LockSupport

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** Measures whether the service's JVM gets the CPU time that it needs, whatever its layout. A dedicated thread computes for a moment, again
  * and again, and records how long it waited for a CPU meanwhile. Long waits mean that other programs had the CPUs.
  */
private[capstone] final class Pulse extends AutoCloseable {
  private val waits = new ConcurrentLinkedQueue[Long]
  @volatile private var open = true
  private val thread = Thread.ofPlatform.daemon.name("pulse").start { () =>
    while (open) { beat(); LockSupport.parkNanos(Pulse.every.toNanos) }
  }

  private def beat(): Unit = {
    val (began, clock) = (System.nanoTime, getThreadMXBean)
    val end = clock.getCurrentThreadCpuTime + Pulse.effort.toNanos
    while (clock.getCurrentThreadCpuTime < end) ()
    waits.add(System.nanoTime - began - Pulse.effort.toNanos)
    ()
  }

  /** Returns a wait in nanoseconds: 5 of 100 moments were in a wait of this length or a longer one. Returns 0 if fewer were in any wait.
    * One long stall counts with all its moments, because a request in any of them waits.
    */
  def waitedNanos: Long = Pulse.waitedNanos(waits.asScala.toVector)

  def close(): Unit = {
    open = false
    LockSupport.unpark(thread)
  }
}

private[capstone] object Pulse {
  private val (effort, every) = (500.micros, 20.millis)
  private val share = 0.05

  def waitedNanos(waits: Vector[Long]): Long = {
    val all = waits.sum + waits.size * (effort + every).toNanos
    val longest = waits.sorted.reverse
    longest.zip(longest.scanLeft(0L)(_ + _).drop(1)).collectFirst { case (wait, sum) if sum >= share * all => wait }.getOrElse(0L)
  }
}

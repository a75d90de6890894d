package lab.capstone

import java.lang.management.ManagementFactory.getThreadMXBean
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.locks.LockSupport

import lab.chart.Latencies

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** Tells whether the service's JVM gets the CPU time that it asks for, whatever its layout: a thread of its own computes for a moment, again
  * and again, and notes for how long it had to wait for a CPU meanwhile. If that is long, others had the CPUs.
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

  /** So many of a hundred waits were no longer, in nanoseconds; 0 before the first. */
  def percentileNanos(p: Double): Long = if (waits.isEmpty) 0 else Latencies.of(waits.asScala).percentileNanos(p)

  def close(): Unit = {
    open = false
    LockSupport.unpark(thread)
  }
}

private[capstone] object Pulse {
  private val (effort, every) = (500.micros, 20.millis)
}

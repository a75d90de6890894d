package lab.load

import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** Someone who slept for a moment while serving a request.
  *
  * @param row    for which kind of request
  * @param block  in which part of its load
  * @param asleep how many slept then, this one included
  * @param inPool how many slept then for the same kind of request on threads of the same pool
  * @param thread on which it slept; a virtual thread usually has no name
  */
final case class Nap(row: String, block: Int, asleep: Int, inPool: Int, thread: String) {

  /** The thread's pool: its name without numbers. */
  def family: String = Nap.family(thread)
}

object Nap {
  private[lab] def family(thread: String): String = thread.replaceAll("-?\\d+", "").stripPrefix("application-") match {
    case ""   => "virtual"
    case name => name
  }
}

/** What a server's handlers slept, noted where it happened: for a program that a page runs. */
object Naps {
  private val (noted, asleep) = (new ConcurrentLinkedQueue[Nap], new AtomicInteger)
  private val inPools = new ConcurrentHashMap[String, AtomicInteger]

  /** Sleeps on the calling thread, and notes it. */
  def sleep(row: String, block: Int, time: FiniteDuration): Unit = {
    val thread = Thread.currentThread.getName
    val inPool = inPools.computeIfAbsent(s"$row ${Nap.family(thread)}", _ => new AtomicInteger)
    noted.add(Nap(row, block, asleep.incrementAndGet(), inPool.incrementAndGet(), thread))
    try Thread.sleep(time.toMillis)
    finally {
      inPool.decrementAndGet()
      asleep.decrementAndGet()
      ()
    }
  }

  /** All that were noted in this JVM, as lines for [[read]]. */
  def told: String = noted.asScala
    .map(nap => s"${nap.row},${nap.block},${nap.asleep},${nap.inPool},${nap.thread}")
    .mkString("\n")

  /** What another JVM has told. */
  def read(told: String): Vector[Nap] = told.linesIterator
    .map(_.split(",", 5))
    .collect { case Array(row, block, atOnce, inPool, thread) => Nap(row, block.toInt, atOnce.toInt, inPool.toInt, thread) }
    .toVector
}

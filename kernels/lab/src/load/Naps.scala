package lab.load

import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** A sleep that began while a server handled a request.
  *
  * @param row    the kind of request
  * @param block  the block of its load
  * @param asleep how many requests slept at that moment, this one included
  * @param inPool how many requests of the same kind slept at that moment on threads of the same pool
  * @param thread the thread's name; a virtual thread usually has none
  */
final case class Nap(row: String, block: Int, asleep: Int, inPool: Int, thread: String) {

  /** Returns the name of the thread's pool, which is the thread's name without numbers. */
  def family: String = Nap.family(thread)
}

object Nap {
  private[lab] def family(thread: String): String = thread.replaceAll("-?\\d+", "").stripPrefix("application-") match {
    case ""   => "virtual"
    case name => name
  }
}

/** Records the sleeps of a server's handlers, for a program that a page runs. */
object Naps {
  private val (noted, asleep) = (new ConcurrentLinkedQueue[Nap], new AtomicInteger)
  private val inPools = new ConcurrentHashMap[String, AtomicInteger]

  /** Sleeps on the calling thread, and records it. */
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

  /** Returns all recorded sleeps of this JVM, as lines for [[read]]. */
  def lines: String = noted.asScala
    .map(nap => s"${nap.row},${nap.block},${nap.asleep},${nap.inPool},${nap.thread}")
    .mkString("\n")

  /** Reads the lines of [[lines]] from another JVM. */
  def read(lines: String): Vector[Nap] = lines.linesIterator
    .map(_.split(",", 5))
    .collect { case Array(row, block, concurrent, inPool, thread) => Nap(row, block.toInt, concurrent.toInt, inPool.toInt, thread) }
    .toVector
}

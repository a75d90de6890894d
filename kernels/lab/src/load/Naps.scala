package lab

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** Someone who slept for a moment while serving a request.
  *
  * @param row    for which kind of request
  * @param block  in which part of its load
  * @param asleep how many slept then, this one included
  * @param thread on which it slept; a virtual thread usually has no name
  */
final case class Nap(row: String, block: Int, asleep: Int, thread: String) {

  /** The thread's pool: its name without numbers. */
  def family: String = thread.replaceAll("-?\\d+", "").stripPrefix("application-") match {
    case ""   => "virtual"
    case name => name
  }
}

/** What a server's handlers slept, noted where it happened: for a program that a page runs. */
object Naps {
  private val (noted, asleep) = (new ConcurrentLinkedQueue[Nap], new AtomicInteger)

  /** Sleeps on the calling thread, and notes it. */
  def sleep(row: String, block: Int, time: FiniteDuration): Unit = {
    noted.add(Nap(row, block, asleep.incrementAndGet(), Thread.currentThread.getName))
    try Thread.sleep(time.toMillis)
    finally { asleep.decrementAndGet(); () }
  }

  /** All that were noted in this JVM, as lines for [[read]]. */
  def told: String = noted.asScala.map(nap => s"${nap.row},${nap.block},${nap.asleep},${nap.thread}").mkString("\n")

  /** What another JVM has told. */
  def read(told: String): Vector[Nap] = told.linesIterator
    .map(_.split(",", 4))
    .collect { case Array(row, block, atOnce, thread) => Nap(row, block.toInt, atOnce.toInt, thread) }
    .toVector
}

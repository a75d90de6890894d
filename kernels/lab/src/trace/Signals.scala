package lab.trace

import java.util.concurrent.ConcurrentLinkedQueue

import lab.show.Say

import scala.collection.mutable

/** One signal of one request: what happened to it, when, and on which thread.
  *
  * @param nanos  the time since the first signal that was read with it, in nanoseconds
  * @param thread the thread's name, which another thread may also have
  * @param id     the thread's id, which no other thread of its JVM has
  */
final case class Signal(request: String, name: String, nanos: Long, thread: String, id: Long) {

  /** Returns the time in milliseconds. */
  def millis: Double = nanos / 1e6

  /** Returns the number at the end of the thread's name, if the name begins with `pool`, the prefix of a pool's threads. */
  def numberIn(pool: String): Option[Int] = Option.when(thread.startsWith(pool))(thread.drop(pool.length)).flatMap(_.toIntOption)
}

/** The signals of some requests, in the order in which they were noted. */
final class Signals private (val all: Vector[Signal]) {

  /** Returns each request's signals. */
  def requests: Map[String, Vector[Signal]] = all.groupBy(_.request)

  /** Returns the two signals of each request that has both. */
  def pairs(one: String, other: String): Vector[(Signal, Signal)] = requests.values.toVector.flatMap { signals =>
    for (from <- signals.find(_.name == one); to <- signals.find(_.name == other)) yield from -> to
  }

  override def toString: String = s"${Say.count(all.size, "signal")} of ${Say.count(all.map(_.request).distinct.size, "request")}"
}

/** Notes signals in a program that a page runs: a server's handlers call it where something happens to their requests. */
object Signals {
  private val noted = new ConcurrentLinkedQueue[String]

  /** Notes a signal, with this moment and the calling thread. Neither word may contain a comma. */
  def note(request: String, signal: String): Unit = {
    val thread = Thread.currentThread
    noted.add(s"$request,$signal,${System.nanoTime},${thread.threadId},${thread.getName}")
    ()
  }

  /** Returns all signals that were noted in this JVM since the last call, as lines for [[read]]. */
  def lines(): String = Iterator.continually(Option(noted.poll())).takeWhile(_.nonEmpty).flatten.mkString("\n")

  /** Reads the lines that another JVM returned. Equal words are one object, because a page keeps thousands of signals. */
  def read(lines: String): Signals = {
    val words = mutable.HashMap.empty[String, String]
    def one(word: String): String = words.getOrElseUpdate(word, word)
    val all = lines.linesIterator
      .map(_.split(",", 5))
      .collect { case Array(request, name, at, id, thread) =>
        Signal(one(request), one(name), at.toLong, one(thread), id.toLong)
      }
      .toVector
    val first = all.map(_.nanos).minOption.getOrElse(0L)
    new Signals(all.map(signal => signal.copy(nanos = signal.nanos - first)))
  }
}

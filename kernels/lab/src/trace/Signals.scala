package lab.trace

import java.util.concurrent.ConcurrentLinkedQueue

import lab.show.Say

/** One signal of one request: what happened to it, when, and on which thread.
  *
  * @param nanos  since the first signal that was read with it
  * @param thread its name, which another thread may have as well
  * @param id     the thread's id, which no other thread of its JVM has
  */
final case class Signal(request: String, name: String, nanos: Long, thread: String, id: Long) {

  /** The same in milliseconds. */
  def millis: Double = nanos / 1e6

  /** The number at the end of the thread's name, if it is one of the pool whose threads' names begin so. */
  def numberIn(pool: String): Option[Int] = Option.when(thread.startsWith(pool))(thread.drop(pool.length)).flatMap(_.toIntOption)
}

/** The signals of some requests, in the order in which they were noted. */
final class Signals private (val all: Vector[Signal]) {

  /** Each request's signals. */
  def requests: Map[String, Vector[Signal]] = all.groupBy(_.request)

  /** For each request that has both, the two signals. */
  def pairs(one: String, other: String): Vector[(Signal, Signal)] = requests.values.toVector.flatMap { signals =>
    for (from <- signals.find(_.name == one); to <- signals.find(_.name == other)) yield from -> to
  }

  override def toString: String = s"${Say.count(all.size, "signal")} of ${Say.count(all.map(_.request).distinct.size, "request")}"
}

/** What a server's handlers note of their requests, where it happens: for a program that a page runs. */
object Signals {
  private val noted = new ConcurrentLinkedQueue[String]

  /** Notes it, with this moment and the calling thread. Neither word may have a comma in it. */
  def note(request: String, signal: String): Unit = {
    val thread = Thread.currentThread
    noted.add(s"$request,$signal,${System.nanoTime},${thread.threadId},${thread.getName}")
    ()
  }

  /** All that were noted in this JVM since it was asked last, as lines for [[read]]. */
  def told(): String = Iterator.continually(Option(noted.poll())).takeWhile(_.nonEmpty).flatten.mkString("\n")

  /** What another JVM has told. */
  def read(told: String): Signals = {
    val lines = told.linesIterator
      .map(_.split(",", 5))
      .collect { case Array(request, name, at, id, thread) =>
        Signal(request, name, at.toLong, thread, id.toLong)
      }
      .toVector
    val first = lines.map(_.nanos).minOption.getOrElse(0L)
    new Signals(lines.map(signal => signal.copy(nanos = signal.nanos - first)))
  }
}

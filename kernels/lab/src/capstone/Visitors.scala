package lab.capstone

import java.net.URI
import java.net.http.HttpClient.Version
import java.net.http.HttpResponse.BodyHandlers
import java.net.http.{HttpClient, HttpRequest, HttpResponse, HttpTimeoutException}
import java.time.{Duration => JavaDuration}
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentLinkedQueue, Executors}

import lab.chart.Latencies
import lab.load.Load

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** Those who come to the capstone's service: whether or not earlier ones were answered (''open loop''), each on a connection that is free. What
  * they get is looked at: the text has to be the right one.
  *
  * @param right what a request of this kind and number is to be answered with
  */
private[capstone] final class Visitors(port: Int, right: (String, Int) => String) extends AutoCloseable {
  private val threads = Executors.newVirtualThreadPerTaskExecutor()
  private val client = HttpClient.newBuilder.version(Version.HTTP_1_1).executor(threads).build()

  /** Sends all requests of `phase` and waits until each is answered or has given up.
    *
    * @param over what to do when its calm begins
    * @throws java.lang.InterruptedException if the cell is interrupted
    */
  def come(phase: Phase)(over: => Unit): Visitors.Came = {
    val (began, visits, underWay) = (System.nanoTime, new ConcurrentLinkedQueue[Visit], new AtomicInteger)
    def send(offset: Long, kind: String, n: Int): Unit = {
      underWay.incrementAndGet()
      val request = HttpRequest.newBuilder(URI.create(s"http://127.0.0.1:$port/$kind/$n")).timeout(Visitors.patient).build()
      client.sendAsync(request, BodyHandlers.ofString()).whenComplete { (answer, failure) =>
        val took = System.nanoTime - began - offset
        val outcome = Visitors.outcome(Option(answer), Option(failure), right(kind, n))
        val known = Option.when(outcome != Visit.Unanswered)(took)
        visits.add(Visit(phase.name, kind, offset >= phase.time.toNanos, offset, known, outcome))
        underWay.decrementAndGet()
        ()
      }
      ()
    }
    val (during, after) = phase.arrivals.zipWithIndex.partition { case ((offset, _), _) => offset < phase.time.toNanos }
    val late = Vector.newBuilder[Long]
    def all(due: Seq[((Long, String), Int)]): Unit = due.foreach { case ((offset, kind), n) =>
      Load.awaitMoment(began + offset)
      late += System.nanoTime - began - offset
      send(offset, kind, n % 64)
    }
    all(during)
    Load.awaitMoment(began + phase.time.toNanos)
    over
    all(after)
    while (underWay.get > 0) Load.awaitMoment(System.nanoTime + 5000000L)
    Visitors.Came(visits.asScala.toVector.sortBy(_.sentNanos), Latencies.of(late.result()))
  }

  def close(): Unit = {
    client.shutdownNow()
    threads.shutdownNow()
    ()
  }
}

private[capstone] object Visitors {

  /** What became of a phase's requests, and how late they were sent. */
  final case class Came(visits: Vector[Visit], lag: Latencies)

  /** After so long they go. */
  val giveUp: FiniteDuration = 1500.millis
  private val patient = JavaDuration.ofMillis(giveUp.toMillis)

  private def outcome(answer: Option[HttpResponse[String]], failure: Option[Throwable], right: String): Visit.Outcome =
    (answer, failure) match {
      case (Some(reply), _) if reply.statusCode == 200 && reply.body == right     => Visit.Right
      case (Some(reply), _) if reply.statusCode == 503 || reply.statusCode == 504 => Visit.Refused
      case (_, Some(thrown)) if isTimeOut(thrown) || isTimeOut(thrown.getCause)   => Visit.Unanswered
      case _                                                                      => Visit.Wrong
    }

  private def isTimeOut(thrown: Throwable): Boolean = thrown.isInstanceOf[HttpTimeoutException]
}

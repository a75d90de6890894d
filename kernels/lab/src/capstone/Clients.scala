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

/** The clients of the capstone's service. They come at a rate, whether or not earlier requests were answered (''open loop''), and each
  * takes a free connection. Afterwards each answer is compared with the right text.
  *
  * @param number returns the next number for a request of this kind
  * @param right  returns the right answer to a request of this kind and number
  */
private[capstone] final class Clients(port: Int, number: String => Int, right: (String, Int) => String) extends AutoCloseable {
  private val threads = Executors.newVirtualThreadPerTaskExecutor()
  private val client = HttpClient.newBuilder.version(Version.HTTP_1_1).executor(threads).build()

  /** Sends all requests of `phase`. It waits until each is answered or given up, except for the kinds that nobody waits for.
    *
    * @throws java.lang.InterruptedException if the cell is interrupted
    */
  def send(phase: Phase): Clients.Results = {
    val (began, gone, inFlight) = (System.nanoTime, new ConcurrentLinkedQueue[Clients.Gone], new AtomicInteger)
    def send(offset: Long, kind: String): Unit = {
      val (n, waitsFor) = (number(kind), !phase.leaves.contains(kind))
      if (waitsFor) inFlight.incrementAndGet()
      val request = HttpRequest.newBuilder(URI.create(s"http://127.0.0.1:$port/$kind/$n")).timeout(Clients.patient).build()
      client.sendAsync(request, BodyHandlers.ofString()).whenComplete { (answer, failure) =>
        gone.add(Clients.Gone(kind, n, offset, System.nanoTime - began - offset, Option(answer), Option(failure)))
        if (waitsFor) inFlight.decrementAndGet()
        ()
      }
      ()
    }
    val late = phase.arrivals.map { case (offset, kind) =>
      Load.awaitMoment(began + offset)
      val late = System.nanoTime - began - offset
      send(offset, kind)
      late
    }
    while (inFlight.get > 0) Load.awaitMoment(System.nanoTime + 2000000L)
    val requests = gone.asScala.toVector.filter(one => one.offset >= phase.lead.toNanos && !phase.leaves.contains(one.kind)).map { one =>
      val outcome = Clients.outcome(one.answer, one.failure, right(one.kind, one.n))
      Request(phase.name, one.kind, one.offset, Option.when(outcome != Request.Unanswered)(one.took), outcome)
    }
    Clients.Results(requests.sortBy(_.sentNanos), Latencies.of(late))
  }

  def close(): Unit = {
    client.shutdownNow()
    threads.shutdownNow()
    ()
  }
}

private[capstone] object Clients {

  /** The fates of a phase's requests, and how late these were sent. */
  final case class Results(requests: Vector[Request], lag: Latencies)

  /** A request that has ended, with its answer or its failure. */
  private final case class Gone(
      kind: String,
      n: Int,
      offset: Long,
      took: Long,
      answer: Option[HttpResponse[String]],
      failure: Option[Throwable]
  )

  /** How long clients can use an answer. */
  val patience: FiniteDuration = 500.millis

  /** The time after which clients give up. */
  val giveUp: FiniteDuration = 600.millis
  private val patient = JavaDuration.ofMillis(giveUp.toMillis)

  private def outcome(answer: Option[HttpResponse[String]], failure: Option[Throwable], right: => String): Request.Outcome =
    (answer, failure) match {
      case (Some(reply), _) if reply.statusCode == 200 && reply.body == right     => Request.Right
      case (Some(reply), _) if reply.statusCode == 503 || reply.statusCode == 504 => Request.Rejected
      case (_, Some(thrown)) if isTimeOut(thrown) || isTimeOut(thrown.getCause)   => Request.Unanswered
      case _                                                                      => Request.Wrong
    }

  private def isTimeOut(thrown: Throwable): Boolean = thrown.isInstanceOf[HttpTimeoutException]
}

/** The fate of one request of a score.
  *
  * @param sentNanos when it was due, since the phase began
  * @param tookNanos the time from then to its answer; `None` if none came
  */
private[capstone] final case class Request(
    phase: String,
    kind: String,
    sentNanos: Long,
    tookNanos: Option[Long],
    outcome: Request.Outcome
)

private[capstone] object Request {
  sealed abstract class Outcome(override val toString: String)

  /** The answer has the value that was really computed, read or fetched. */
  case object Right extends Outcome("right")

  /** The answer is 503 or 504, so the client knows that it was rejected. */
  case object Rejected extends Outcome("rejected")

  /** Another status, another text, or a broken connection. */
  case object Wrong extends Outcome("wrong")
  case object Unanswered extends Outcome("unanswered")
}

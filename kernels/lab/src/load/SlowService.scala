package lab.load

import java.net.{InetAddress, InetSocketAddress}
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, ExecutorService, Executors, ScheduledExecutorService, Semaphore, TimeUnit}

import com.sun.net.httpserver.{HttpExchange, HttpServer}

import scala.concurrent.duration._

/** Runs a slow web service on this machine, which represents another team's service. It has enough threads for all its callers, and a
  * limit to how many calls it serves simultaneously.
  */
final class SlowService private (server: HttpServer, executors: Seq[ExecutorService], calls: AtomicInteger) extends AutoCloseable {

  /** Returns its port, on the loopback interface. */
  def port: Int = server.getAddress.getPort

  /** Returns its address: `http://127.0.0.1:` and the port. */
  def url: String = s"http://127.0.0.1:$port"

  /** Returns the number of unanswered calls. */
  def inFlight: Int = calls.get

  /** Closes the service immediately, even if callers still wait for an answer. */
  def close(): Unit = {
    server.stop(0)
    executors.foreach(_.shutdownNow())
  }
}

object SlowService {

  /** Starts a service that answers with status 204, or with a small body.
    *
    * @param takes    the time from when a call is served until its answer
    * @param concurrent   how many calls are served simultaneously; the others wait, first come first served
    * @param lateBody whether the answer begins immediately, with status 200 and its headers, and only its body takes that long
    * @throws java.lang.IllegalArgumentException if `concurrent` is less than 1
    */
  def apply(takes: FiniteDuration, concurrent: Int = Int.MaxValue, lateBody: Boolean = false): SlowService = {
    if (concurrent < 1) throw new IllegalArgumentException(s"concurrent = $concurrent: at least one call has to be served at a time")
    val door = new Semaphore(concurrent, true)
    start(if (lateBody) slowly else empty) { clock =>
      door.acquire()
      try clock.pause(takes)
      finally door.release()
    }
  }

  /** Starts a service that answers each path with the text that `answer` returns, or with status 404, each time after `takes`. */
  private[lab] def telling(takes: => FiniteDuration)(answer: String => Option[String]): SlowService = start { (exchange, wait) =>
    wait()
    val told = answer(exchange.getRequestURI.getPath)
    val body = told.getOrElse("no such thing").getBytes
    exchange.sendResponseHeaders(if (told.isEmpty) 404 else 200, body.length.toLong)
    exchange.getResponseBody.write(body)
  }(_.pause(takes))

  /** Starts a service that answers no call before `gate` is open. Then it answers all calls, with status 204. */
  def behind(gate: CountDownLatch): SlowService = start(empty)(_ => gate.await())

  /** Pauses threads as `Thread.sleep` does, but on the service's own timer. Up to JDK 25.0.2, the timers of virtual threads share a heap
    * that breaks if one of them is cancelled (JDK-8370887). Then a short timer may fire as late as a long one, and callers with a time-out
    * cancel theirs all the time.
    */
  private final class Clock {
    val timer: ScheduledExecutorService = Executors.newSingleThreadScheduledExecutor { task =>
      Thread.ofPlatform.daemon.name("slow-service-clock").unstarted(task)
    }

    def pause(time: FiniteDuration): Unit = {
      val over = new CountDownLatch(1)
      timer.schedule((() => over.countDown()): Runnable, time.toNanos, TimeUnit.NANOSECONDS)
      over.await()
    }
  }

  private val body = "slow".getBytes(US_ASCII)

  private def empty(exchange: HttpExchange, wait: () => Unit): Unit = {
    wait()
    exchange.sendResponseHeaders(204, -1)
  }

  private def slowly(exchange: HttpExchange, wait: () => Unit): Unit = {
    exchange.sendResponseHeaders(200, body.length.toLong)
    exchange.getResponseBody.flush()
    wait()
    exchange.getResponseBody.write(body)
  }

  private def start(answer: (HttpExchange, () => Unit) => Unit)(wait: Clock => Unit): SlowService = {
    val (threads, clock, calls) = (Executors.newVirtualThreadPerTaskExecutor(), new Clock, new AtomicInteger)
    val server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 2000)
    server.setExecutor(threads)
    server.createContext(
      "/",
      exchange => {
        calls.incrementAndGet()
        try answer(exchange, () => wait(clock))
        finally { calls.decrementAndGet(); () }
        exchange.close()
      }
    )
    server.start()
    new SlowService(server, Seq(threads, clock.timer), calls)
  }
}

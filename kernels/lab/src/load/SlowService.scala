package lab.load

import java.net.{InetAddress, InetSocketAddress}
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, ExecutorService, Executors, Semaphore, TimeUnit}

import com.sun.net.httpserver.{HttpExchange, HttpServer}

import scala.concurrent.duration._

/** A web service on this machine that takes its time: what somebody else's service is to a page. It has threads enough for everybody, and
  * serves no more at once than it wants.
  *
  * {{{
  * Using.resource(SlowService(takes = 200.millis, atOnce = 21))(service => call(service.url))
  * }}}
  */
final class SlowService private (server: HttpServer, threads: ExecutorService, calls: AtomicInteger) extends AutoCloseable {

  /** Where it listens, on the loopback interface. */
  def port: Int = server.getAddress.getPort

  /** `http://127.0.0.1:` and the port. */
  def url: String = s"http://127.0.0.1:$port"

  /** How many calls have come that have no answer yet. */
  def underWay: Int = calls.get

  /** Ends it at once, whoever waits for an answer. */
  def close(): Unit = {
    server.stop(0)
    threads.shutdownNow()
    ()
  }
}

object SlowService {

  /** Answers with status 204, or with a small body.
    *
    * @param takes    from when a call is served until its answer
    * @param atOnce   how many calls are served at once; the others wait at the door, first come first served
    * @param lateBody the answer begins at once, with status 200 and its headers, and it is its body that takes so long
    * @throws java.lang.IllegalArgumentException if nobody is served
    */
  def apply(takes: FiniteDuration, atOnce: Int = Int.MaxValue, lateBody: Boolean = false): SlowService = {
    if (atOnce < 1) throw new IllegalArgumentException(s"atOnce = $atOnce: at least one call has to be served at a time")
    val door = new Semaphore(atOnce, true)
    start(if (lateBody) slowly else empty) { () =>
      door.acquire()
      try later(takes)
      finally door.release()
    }
  }

  /** Tells of each path what `answer` says, or status 404, each time after `takes`. */
  private[lab] def telling(takes: => FiniteDuration)(answer: String => Option[String]): SlowService = start { (exchange, wait) =>
    wait()
    val told = answer(exchange.getRequestURI.getPath)
    val body = told.getOrElse("no such thing").getBytes
    exchange.sendResponseHeaders(if (told.isEmpty) 404 else 200, body.length.toLong)
    exchange.getResponseBody.write(body)
  }(() => later(takes))

  /** Answers nobody before `gate` is open; then all, with status 204. */
  def behind(gate: CountDownLatch): SlowService = start(empty)(() => gate.await())

  /** Waits as `Thread.sleep` does, but by a clock of its own: up to JDK 25.0.2 the timers of virtual threads share a heap that breaks when one
    * of them is cancelled (JDK-8370887), and a short one may go off as late as a long one. Callers with a time-out cancel theirs all the time.
    */
  private def later(delay: FiniteDuration): Unit = {
    val over = new CountDownLatch(1)
    clock.schedule((() => over.countDown()): Runnable, delay.toNanos, TimeUnit.NANOSECONDS)
    over.await()
  }
  private lazy val clock = Executors.newSingleThreadScheduledExecutor { task =>
    Thread.ofPlatform.daemon.name("slow-service-clock").unstarted(task)
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

  private def start(answer: (HttpExchange, () => Unit) => Unit)(wait: () => Unit): SlowService = {
    val (threads, calls) = (Executors.newVirtualThreadPerTaskExecutor(), new AtomicInteger)
    val server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 2000)
    server.setExecutor(threads)
    server.createContext(
      "/",
      exchange => {
        calls.incrementAndGet()
        try answer(exchange, wait)
        finally { calls.decrementAndGet(); () }
        exchange.close()
      }
    )
    server.start()
    new SlowService(server, threads, calls)
  }
}

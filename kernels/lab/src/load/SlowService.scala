package lab

import java.net.{InetAddress, InetSocketAddress}
import java.util.concurrent.{ExecutorService, Executors, Semaphore}

import com.sun.net.httpserver.HttpServer

import scala.concurrent.duration._

/** A web service on this machine that takes its time: what somebody else's service is to a page. It has threads enough for everybody, and
  * serves no more at once than it wants.
  *
  * {{{
  * Using.resource(SlowService(takes = 200.millis, atOnce = 21))(service => call(service.url))
  * }}}
  */
final class SlowService private (server: HttpServer, threads: ExecutorService) extends AutoCloseable {
  def port: Int = server.getAddress.getPort

  /** `http://127.0.0.1:` and the port. */
  def url: String = s"http://127.0.0.1:$port"

  /** Ends it at once, whoever waits for an answer. */
  def close(): Unit = {
    server.stop(0)
    threads.shutdownNow()
    ()
  }
}

object SlowService {

  /** Answers with status 204.
    *
    * @param takes  from when a call is served until its answer
    * @param atOnce how many calls are served at once; the others wait at the door, first come first served
    * @throws java.lang.IllegalArgumentException if nobody is served
    */
  def apply(takes: FiniteDuration, atOnce: Int = Int.MaxValue): SlowService = {
    if (atOnce < 1) throw new IllegalArgumentException(s"atOnce = $atOnce: at least one call has to be served at a time")
    val (door, threads) = (new Semaphore(atOnce, true), Executors.newVirtualThreadPerTaskExecutor())
    val server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 2000)
    server.setExecutor(threads)
    server.createContext(
      "/",
      exchange => {
        door.acquire()
        try Thread.sleep(takes.toMillis)
        finally door.release()
        exchange.sendResponseHeaders(204, -1)
        exchange.close()
      }
    )
    server.start()
    new SlowService(server, threads)
  }
}

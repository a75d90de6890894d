package lab.capstone

import java.net.{InetAddress, InetSocketAddress}
import java.util.concurrent.Executors

import com.sun.net.httpserver.HttpServer

import scala.concurrent.duration._

/** The other service that the capstone's calls: it tells prices, and takes as long as it is told to. It has threads enough for everybody.
  *
  * @param salt what its prices depend on
  */
private[capstone] final class PriceList(salt: Int) extends AutoCloseable {
  private val threads = Executors.newVirtualThreadPerTaskExecutor()
  private val server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 2000)

  /** From when a call comes until its answer. */
  @volatile var takes: FiniteDuration = Layout.usualPrice

  server.setExecutor(threads)
  server.createContext(
    "/",
    exchange => {
      Thread.sleep(takes.toMillis)
      val price = exchange.getRequestURI.getPath.stripPrefix("/").toIntOption.map(PriceList.price(_, salt))
      val body = price.fold("no such thing")(_.toString).getBytes
      exchange.sendResponseHeaders(if (price.isEmpty) 404 else 200, body.length.toLong)
      exchange.getResponseBody.write(body)
      exchange.close()
    }
  )
  server.start()

  def url: String = s"http://127.0.0.1:${server.getAddress.getPort}"

  /** Ends it at once, whoever waits for an answer. */
  def close(): Unit = {
    server.stop(0)
    threads.shutdownNow()
    ()
  }
}

private[capstone] object PriceList {
  def price(id: Int, salt: Int): Int = (id * 104729 + salt) % 9973
}

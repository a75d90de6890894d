package lab.capstone

import java.net.{InetAddress, InetSocketAddress}
import java.util.concurrent.{CountDownLatch, Executors}

import com.sun.net.httpserver.HttpServer

import lab.load.HttpConnection

import scala.concurrent.duration._
import scala.util.Using

class ClientsSuite extends munit.FunSuite {
  test("answers are compared with the right text, and a client without an answer gives up") {
    val (threads, never) = (Executors.newVirtualThreadPerTaskExecutor(), new CountDownLatch(1))
    val server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 0)
    server.setExecutor(threads)
    server.createContext(
      "/",
      exchange => {
        val kind = exchange.getRequestURI.getPath.split('/')(1)
        if (kind == "price") never.await()
        val body = (if (kind == "page") "another text" else "right").getBytes
        exchange.sendResponseHeaders(if (kind == "order") 503 else 200, body.length.toLong)
        exchange.getResponseBody.write(body)
        exchange.close()
      }
    )
    server.start()
    try
      Using.resource(new Clients(server.getAddress.getPort, _ => 1, (_, _) => "right")) { clients =>
        val phase = Phase("x", Layout.kinds.map(_ -> 20).toMap, 300.millis, lead = 100.millis, together = Map("page" -> 2))
        val came = clients.send(phase)
        val fates = came.requests.groupMap(_.kind)(_.outcome).map { case (kind, all) => kind -> all.distinct }
        val expected = Map("health" -> Request.Right, "page" -> Request.Wrong, "order" -> Request.Rejected, "price" -> Request.Unanswered)
        assertEquals(fates.map { case (kind, all) => kind -> all.mkString }, expected.map { case (kind, fate) => kind -> s"$fate" })
        assertEquals((came.requests.size, came.lag.count), (16, 24L), "requests in the lead aren't counted")
        assert(came.requests.filter(_.kind == "price").forall(_.tookNanos.isEmpty))
        val left = clients.send(phase.copy(leaves = Set("price")))
        assertEquals(left.requests.map(_.kind).toSet, Set("health", "page", "order"), "no client waits for prices")
      }
    finally {
      never.countDown()
      server.stop(0)
      threads.shutdownNow()
      ()
    }
  }

  test("the other service answers with a price, after the time that was set") {
    Using.resource(new PriceList(salt = 5)) { prices =>
      prices.takes = 1.milli
      val port = prices.url.split(':').last.toInt
      Using.resource(HttpConnection(port))(connection => assertEquals(connection.get("/3"), s"${PriceList.price(3, 5)}"))
    }
  }

  test("a page depends on its number and on the number of steps, and on nothing else") {
    assertEquals(Render.page(7, 1000), Render.page(7, 1000))
    assert(Render.page(7, 1000) != Render.page(7, 1001) && Render.page(7, 1000) != Render.page(8, 1000))
    assert(Render.stepsIn(3.millis) > 1000)
  }
}

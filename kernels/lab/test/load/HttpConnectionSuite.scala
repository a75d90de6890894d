package lab.load

import java.io.IOException
import java.net.InetSocketAddress
import java.util.concurrent.{CountDownLatch, TimeUnit}

import com.sun.net.httpserver.HttpServer

import lab.machine.Settle

import scala.concurrent.duration._
import scala.util.Using

class HttpConnectionSuite extends munit.FunSuite {

  /** A server whose `/plain` and `/chunked` answer with the caller's port, `/none` with nothing, and `/missing` with status 404. */
  private val server = FunFixture[HttpServer](
    _ => {
      val server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0)
      server.createContext(
        "/",
        exchange => {
          val body = s"grüße ${exchange.getRemoteAddress.getPort}".getBytes("UTF-8")
          exchange.getRequestURI.getPath match {
            case "/none"    => exchange.sendResponseHeaders(204, -1)
            case "/missing" => exchange.sendResponseHeaders(404, -1)
            case "/chunked" => exchange.sendResponseHeaders(200, 0); body.foreach(byte => exchange.getResponseBody.write(byte.toInt))
            case _          => exchange.sendResponseHeaders(200, body.length.toLong); exchange.getResponseBody.write(body)
          }
          exchange.close()
        }
      )
      server.start()
      server
    },
    _.stop(0)
  )

  server.test("calls go one after the other on one connection") { server =>
    Using.resources(HttpConnection(server.getAddress.getPort), HttpConnection(server.getAddress.getPort)) { (one, other) =>
      val answers = Seq("/plain", "/none", "/chunked", "/plain").map(one.get)
      assertEquals(answers(1), "")
      assertEquals(answers.filter(_.nonEmpty).distinct.size, 1)
      assert(answers.head.startsWith("grüße "), answers.head)
      assertNotEquals(other.get("/plain"), answers.head)
    }
  }

  server.test("a status other than 2xx, and a port without a server, are errors") { server =>
    Using.resource(HttpConnection(server.getAddress.getPort)) { connection =>
      assert(intercept[IOException](connection.get("/missing")).getMessage.contains("404"))
      assertEquals(connection.get("/none"), "")
    }
    val gate = new CountDownLatch(1)
    Using.resource(SlowService.behind(gate)) { service =>
      Using.resource(HttpConnection(service.port, limit = 50.millis))(one => intercept[IOException](one.get("/")))
    }
  }

  test("connections stay open until they are answered, and one thread counts them") {
    val gate = new CountDownLatch(1)
    Using.resource(SlowService.behind(gate)) { service =>
      Using.resource(new HeldConnections(service.port)) { held =>
        held.open(30, "/")
        held.open(20, "/")
        assertEquals(held.size, 50)
        assertEquals(Settle(50, quiet = 10.seconds)(service.inFlight), 50)
        assertEquals(held.answered(1.milli), 0)
        gate.countDown()
        assertEquals(held.answered(20.seconds), 50)
      }
    }
    assert(HeldConnections.most.forall(_ > 50), HeldConnections.most)
  }

  test("a late body comes after its headers") {
    Using.resource(SlowService(takes = 30.millis, lateBody = true)) { service =>
      Using.resource(HttpConnection(service.port)) { connection =>
        val began = System.nanoTime
        assertEquals(connection.get("/"), "slow")
        assert(System.nanoTime - began >= TimeUnit.MILLISECONDS.toNanos(30))
      }
    }
  }
}

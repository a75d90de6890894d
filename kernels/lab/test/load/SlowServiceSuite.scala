package lab.load

import java.net.URI
import java.net.http.{HttpClient, HttpRequest, HttpResponse}

import scala.concurrent.duration._
import scala.util.Using

class SlowServiceSuite extends munit.FunSuite {
  test("it takes its time, and serves a limited number of calls simultaneously") {
    Using.resource(SlowService(takes = 60.millis, concurrent = 2)) { service =>
      Using.resource(HttpClient.newHttpClient()) { client =>
        val began = System.nanoTime
        val request = HttpRequest.newBuilder(URI.create(service.url)).build
        val answers = Seq.fill(6)(client.sendAsync(request, HttpResponse.BodyHandlers.discarding)).map(_.get.statusCode)
        assertEquals(answers.distinct, Seq(204))
        assert(System.nanoTime - began >= 3 * 60 * 1000000L, "six by two are three turns")
      }
    }
  }

  test("it is gone when it is closed") {
    val service = SlowService(takes = 1.second)
    service.close()
    intercept[java.io.IOException](Using.resource(new java.net.Socket("127.0.0.1", service.port))(_ => ()))
  }

  test("it has to serve at least one call") {
    assert(intercept[IllegalArgumentException](SlowService(1.second, 0)).getMessage.contains("concurrent = 0"))
  }
}

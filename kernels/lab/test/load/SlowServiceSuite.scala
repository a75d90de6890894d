package lab.load

import java.net.URI
import java.net.http.{HttpClient, HttpRequest, HttpResponse}

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.Using

class SlowServiceSuite extends munit.FunSuite {
  private def soon(happened: => Boolean): Boolean = (1 to 500).exists { _ => happened || { Thread.sleep(10); false } }

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

  test("its threads end with it, even if a call still waits") {
    def mine = Thread.getAllStackTraces.keySet.asScala.filter(_.getName == "slow-service-clock").toSet
    val before = mine
    val service = SlowService(takes = 1.minute)
    Using.resource(new java.net.Socket("127.0.0.1", service.port)) { socket =>
      socket.getOutputStream.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n".getBytes)
      assert(soon(service.inFlight == 1), "no call came")
      assert(soon((mine -- before).nonEmpty), "its clock has no thread")
      service.close()
      assert(soon((mine -- before).isEmpty), s"${mine -- before} didn't end")
    }
  }

  test("it has to serve at least one call") {
    assert(intercept[IllegalArgumentException](SlowService(1.second, 0)).getMessage.contains("concurrent = 0"))
  }
}

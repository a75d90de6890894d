package lab.load

import java.util.concurrent.{ConcurrentLinkedQueue, ExecutionException}

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.Using

class UsersSuite extends munit.FunSuite {
  test("each request is sent once, by the given number of users, and their time is that of the rounds") {
    val asked = new ConcurrentLinkedQueue[String]
    Using.resource(SlowService.telling(50.millis) { path => asked.add(path); Some("") }) { slow =>
      val took = Users.seconds(slow.port, requests = 30, users = 10)(n => s"/$n")
      assertEquals(asked.asScala.toSet, (1 to 30).map(n => s"/$n").toSet)
      assertEquals(asked.size, 30)
      assert(took >= 0.15, took)
    }
  }

  test("a request without an answer is an error") {
    Using.resource(SlowService.telling(Duration.Zero)(_ => None)) { slow =>
      assert(intercept[ExecutionException](Users.seconds(slow.port, 3, users = 1)(_ => "/none")).getMessage.contains("404"))
    }
  }
}

package lab.load

import scala.concurrent.duration._
import scala.util.Using

class HeldConnectionsSuite extends munit.FunSuite {
  test("each connection asks as often as asked to, and each answer has its times") {
    Using.resource(SlowService(takes = 50.millis)) { slow =>
      Using.resource(new HeldConnections(slow.port)) { held =>
        held.connect(20)
        assertEquals(held.size, 20)
        for (_ <- 1 to 2) {
          val replies = held.ask("/", 20.seconds)
          assertEquals(replies.size, 20)
          assert(replies.forall(one => one.tookNanos >= 50000000L && one.askedNanos >= 0), replies)
        }
      }
    }
  }

  test("an answer with another status is an error, and one that doesn't come in time is missing") {
    Using.resource(SlowService.telling(Duration.Zero)(_ => None)) { refusing =>
      Using.resource(new HeldConnections(refusing.port)) { held =>
        held.connect(1)
        val refused = intercept[java.io.IOException](held.ask("/none", 20.seconds)).getMessage
        assert(refused.contains("/none") && refused.contains("404"), refused)
      }
    }
    Using.resource(SlowService(takes = 1.minute)) { slow =>
      Using.resource(new HeldConnections(slow.port)) { held =>
        held.connect(2)
        assertEquals(held.ask("/", 100.millis), Vector.empty)
      }
    }
  }

  test("the end of a request is found, wherever its bytes are split") {
    val end = new RequestEnd
    val bytes = "GET / HTTP/1.1\r\nHost: x\r\n\r\r\n\r\nGET".getBytes
    assertEquals(bytes.indices.filter(at => end(bytes(at))), IndexedSeq(bytes.length - 4))
  }
}

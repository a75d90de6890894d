package lab.load

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat

import com.google.gson.JsonParser

import scala.jdk.CollectionConverters._

class PayloadSuite extends munit.FunSuite {

  private def text(count: Int, seed: Long = 1): String = new String(Payload.orders(count, seed), UTF_8)

  test("a document is an array of the given number of orders, each with lines to add up") {
    val orders = JsonParser.parseString(text(300)).getAsJsonArray.asScala.map(_.getAsJsonObject)
    assertEquals(orders.map(_.get("id").getAsInt).toSeq, 1 to 300)
    for (order <- orders) {
      val lines = order.getAsJsonArray("lines").asScala.map(_.getAsJsonObject)
      assert(lines.nonEmpty && lines.forall(line => line.get("quantity").getAsInt > 0 && line.get("cents").getAsInt > 0), order)
    }
  }

  test("the same bytes on every machine") {
    val digest = MessageDigest.getInstance("SHA-256").digest(Payload.orders(1000))
    assertEquals(HexFormat.of.formatHex(digest), "55b56bef1dde1bd6133fa161465de0d2d7a85d967dae3701a3d8fbfac52f248e")
  }

  test("another seed is another document; a longer one begins with the shorter one") {
    assertNotEquals(text(10, 1), text(10, 2))
    assert(text(20).startsWith(text(10).stripSuffix("]")))
  }

  test("an order takes about as many bytes as the documentation says") {
    val each = Payload.orders(2000).length / 2000.0 / 1024
    assert(each > 0.45 && each < 0.47, each)
  }

  test("a document without orders is rejected, with a remedy") {
    val refused = intercept[IllegalArgumentException](Payload.orders(0))
    assert(refused.getMessage.startsWith("count = 0: ") && refused.getMessage.contains("Payload.orders(1000)"), refused.getMessage)
  }
}

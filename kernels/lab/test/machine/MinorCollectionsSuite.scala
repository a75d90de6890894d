package lab.machine

import scala.concurrent.duration._

class MinorCollectionsSuite extends munit.FunSuite {

  test("as many collections happened as were asked for, and they took time") {
    val (happened, took) = MinorCollections(3)
    assert(happened >= 3 && took >= Duration.Zero, s"$happened in $took")
    assert(intercept[IllegalArgumentException](MinorCollections(0)).getMessage.contains("not 0"))
  }
}

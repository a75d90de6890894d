package lab.magic.jmh

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, InvalidClassException, ObjectInputStream, ObjectOutputStream}

class BenchmarkHostSuite extends munit.FunSuite {
  private def received(sent: AnyRef): AnyRef = {
    val bytes = new ByteArrayOutputStream
    new ObjectOutputStream(bytes).writeObject(sent)
    val input = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray))
    input.setObjectInputFilter(BenchmarkHost.admitted)
    input.readObject()
  }

  test("a fork's objects are read; objects of other classes, which any user could send, are not") {
    assertEquals(received(java.util.List.of("1", "2")), java.util.List.of("1", "2"))
    assert(intercept[InvalidClassException](received(Some("1"))).getMessage.contains("REJECTED"))
  }
}

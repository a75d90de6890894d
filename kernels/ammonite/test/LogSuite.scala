package ammonite.course

import java.io.{ByteArrayOutputStream, PrintStream}

class LogSuite extends munit.FunSuite {

  private def lines(write: Log => Unit): List[String] = {
    val bytes = new ByteArrayOutputStream
    write(new Log(new PrintStream(bytes)))
    bytes.toString.linesIterator.toList
  }

  test("each message is one line, of a bounded length") {
    assertEquals(lines(_.line("one\ntwo\r\nthree")), List("[scala-course] one two three"))
    assert(lines(_.line("x" * 100000)).forall(_.length < 2000))
  }

  test("an event that happens a million times is logged seven times") {
    val said = lines(log => (1 to 1000000).foreach(_ => log.sparsely("it happened")))
    assertEquals((said.size, said.last), (7, "[scala-course] it happened (1000000 times so far)"))
  }
}

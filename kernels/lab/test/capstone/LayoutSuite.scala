package lab.capstone

import scala.concurrent.duration._

class LayoutSuite extends munit.FunSuite {
  private val pools = Seq(Pool("app", 2), Pool("jdbc", 8, queue = 4), Pool("clock", 1))
  private val grouped = Layout("grouped", pools, app = "app", render = "loops", query = "jdbc", refresh = "virtual", timers = "clock")

  private def refused(layout: => Layout): String = intercept[IllegalArgumentException](layout).getMessage

  test("a layout goes to another JVM as text, and comes back unchanged") {
    val full = grouped.copy(
      name = "it's mine, no. 2",
      loops = 3,
      connections = 16,
      atMost = Map("order" -> 8, "price" -> 20),
      timeOut = 200.millis,
      awaits = true
    )
    for (layout <- Seq(grouped, full)) assertEquals(Layout.read(layout.text), layout)
    val message = intercept[IllegalArgumentException](Layout.read("name=x")).getMessage
    assert(message.contains("it has no pools") && message.contains("Layout.text"), message)
  }

  test("a layout says where a task runs, and on how many threads") {
    assertEquals(Layout.tasks.map(grouped.place), Seq("app", "loops", "jdbc", "virtual", "clock"))
    assertEquals(Layout.tasks.map(grouped.pool(_).map(_.threads)), Seq(Some(2), None, Some(8), None, Some(1)))
    assert(grouped.words.contains("query on jdbc (8 threads, a queue of 4)"), grouped.words)
    assert(grouped.copy(connections = 16, loops = 3).words.endsWith("3 event loops; 16 connections"), "the words name what is unusual")
    assert(intercept[NoSuchElementException](grouped.place("mail")).getMessage.contains("refresh"))
  }

  test("an invalid layout is rejected with the value, the rule and the remedy") {
    val wrong = Seq(
      (() => grouped.copy(query = "jbdc")) -> Seq("query = \"jbdc\"", "direct and virtual", "The pools are app, jdbc and clock"),
      (() => grouped.copy(timers = "jdbc")) -> Seq("timers = \"jdbc\"", "an unbounded queue", "Pool(\"clock\", 1)"),
      (() => grouped.copy(timers = "virtual")) -> Seq("timers = \"virtual\"", "an unbounded queue"),
      (() => grouped.copy(pools = pools :+ Pool("app", 3))) -> Seq("the same name", "Rename one `app`"),
      (() => grouped.copy(pools = pools :+ Pool("direct", 3))) -> Seq("Pool(\"direct\", 3)", "another name"),
      (() => grouped.copy(pools = pools :+ Pool("more", 0))) -> Seq("Pool(\"more\", 0)", "1 to 1000 threads"),
      (() => grouped.copy(pools = pools :+ Pool("more", 1, -1))) -> Seq("a capacity of 0 or more"),
      (() => grouped.copy(pools = pools :+ Pool("My;pool", 1))) -> Seq("lower-case letter"),
      (() => grouped.copy(name = "a;b")) -> Seq("name = 'a;b'", "letters"),
      (() => grouped.copy(connections = 50)) -> Seq("connections = 50", "2 to 16"),
      (() => grouped.copy(loops = 0)) -> Seq("loops = 0"),
      (() => grouped.copy(atMost = Map("orders" -> 3))) -> Seq("\"orders\" -> 3", "health, page, order and price"),
      (() => grouped.copy(atMost = Map("order" -> 0))) -> Seq("\"order\" -> 0", "Leave the kind out"),
      (() => grouped.copy(timeOut = 1.milli)) -> Seq("timeOut = 1 millisecond", "10 ms to 10 s")
    )
    for ((make, words) <- wrong; message = refused(make())) assert(words.forall(message.contains), s"$message\n$words")
  }
}

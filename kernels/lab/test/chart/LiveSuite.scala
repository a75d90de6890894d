package lab.chart

import lab.page.ClaimSuite

import java.util.concurrent.atomic.AtomicReference

import scala.concurrent.duration._

class LiveSuite extends munit.FunSuite {
  private def chart(title: String): Chart = Chart.bars(title, "x", "y")(Seq("a" -> 1.0))

  test("a chart is drawn while something changes, and at the end with its table") {
    val looks = Iterator.from(1)
    val drawn = ClaimSuite.shown {
      var now = 0
      Live(over = now > 3, every = 1.milli) { now = looks.next(); chart(s"look $now") }
    }
    assert((1 to 5).forall(n => drawn.contains(s"look $n")), drawn)
    assert(drawn.trim.endsWith("(the chart above as a table: y)"), drawn)
  }

  test("a chart of something that is already over is still drawn") {
    assert(ClaimSuite.shown(Live(over = true)(chart("all of it"))).contains("all of it"))
  }

  test("an interrupt ends it") {
    val end = new AtomicReference[Throwable]
    val drawing = new Thread(() =>
      try ClaimSuite.shown(Live(over = false, every = 1.hour)(chart("no end"))): Unit
      catch { case thrown: Throwable => end.set(thrown) }
    )
    drawing.start()
    drawing.interrupt()
    drawing.join(10000)
    assert(end.get.isInstanceOf[InterruptedException], end.get)
  }

  test("a time of zero between two pictures is rejected") {
    assert(intercept[IllegalArgumentException](Live(over = true, every = Duration.Zero)(chart("x"))).getMessage.contains("0"))
  }
}

package lab.load

import java.util.concurrent.{Executors, RejectedExecutionException}
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

import com.google.gson.JsonParser

import lab.chart.{Chart, Latencies}
import lab.show.Display

import scala.concurrent.duration._
import scala.concurrent.{Future, Promise}
import scala.jdk.CollectionConverters._
import scala.util.Using

class LoadSuite extends munit.FunSuite {
  private def offsets(load: Load): Vector[Long] = load match {
    case open: OpenLoad => open.offsets.toVector
    case other          => fail(s"not an open loop: $other")
  }

  private def generators: Int = Thread.getAllStackTraces.keySet.asScala.count(_.getName == "load-generator")

  test("constant arrivals have equal intervals and end with the time, warm-up included") {
    val due = offsets(Load.open(rate = 100, time = 200.millis, warmUp = 50.millis))
    assertEquals(due.take(3), Vector(0L, 10000000L, 20000000L))
    assertEquals(due.size, 25)
  }

  test("Poisson arrivals repeat with their seed, differ with another, and keep the rate") {
    def poisson(seed: Long): Vector[Long] = offsets(Load.open(1000, 100.seconds, arrivals = Arrivals.Poisson(seed)))
    assertEquals(poisson(1), poisson(1))
    assertNotEquals(poisson(1), poisson(2))
    val due = poisson(3)
    assert(math.abs(due.size - 100000) < 2000, due.size) // six standard deviations
    val gaps = due.zip(due.tail).map { case (a, b) => (b - a).toDouble }
    val mean = gaps.sum / gaps.size
    val deviation = math.sqrt(gaps.map(gap => (gap - mean) * (gap - mean)).sum / gaps.size)
    assert(math.abs(deviation / mean - 1) < 0.05, s"an exponential gap deviates by its mean: $deviation, $mean")
  }

  test("every call after the warm-up is counted once, as answered, failed or timed out") {
    val number = new AtomicInteger
    val result = Load.open(rate = 200, time = 300.millis, warmUp = 100.millis, timeOut = 2.seconds).run("mixed") { () =>
      number.getAndIncrement() % 4 match {
        case 0 => Future.failed(new IllegalStateException("on purpose"))
        case 1 => throw new NoSuchElementException("on purpose")
        case 2 => Promise[Int]().future
        case _ => Future.unit
      }
    }
    assertEquals(number.get, 80)
    assertEquals(result.sent, 60L)
    assertEquals(result.errors, Map("java.lang.IllegalStateException" -> 15L, "java.util.NoSuchElementException" -> 15L))
    assertEquals((result.timeOuts, result.answered), (15L, 15L))
    assertEquals(result.latency.count, 30L)
    assertEquals(result.lag.count, 60L)
    assert(result.latency.maxNanos >= 2.seconds.toNanos, "a call that timed out waited at least as long")
    assert(result.summary.contains("15 timed out") && result.summary.contains("30 errors"), result.summary)
    assertEquals(generators, 0)
  }

  test("a call that holds up the generator shows in the latencies of the next ones, and the result warns") {
    val number = new AtomicInteger
    val stall = 200
    def call(): Future[Unit] = {
      if (number.getAndIncrement() == 5) Thread.sleep(stall.toLong)
      Future.unit
    }
    val open = Load.open(rate = 100, time = 400.millis).run("open")(() => call())
    assertEquals(open.sent, 40L)
    // The calls due in the stall of 200 ms were late by 190, 180, 170 … ms. At least ten of them, a quarter, were late by 90 ms or more.
    assert(open.latency.percentileNanos(80) >= 80.millis.toNanos, open.summary)
    assert(open.warning.exists(_.contains(" late, which counts as latency")), open.summary)
    number.set(0)
    val closed = Load.closed(clients = 1, time = 400.millis).run("closed")(() => call())
    assert(closed.latency.percentileNanos(80) < open.latency.percentileNanos(80), s"one stall is one slow call of many: ${closed.summary}")
    assertEquals(closed.lag.count, 0L)
  }

  test("a closed loop never has more calls in flight than clients, and goes on when a client gives up") {
    val (now, most, number) = (new AtomicInteger, new AtomicInteger, new AtomicInteger)
    Using.resource(Executors.newFixedThreadPool(8)) { pool =>
      val result = Load.closed(clients = 3, time = 500.millis).runBlocking("three", pool) { () =>
        most.accumulateAndGet(now.incrementAndGet(), math.max(_, _))
        Thread.sleep(1)
        now.decrementAndGet()
      }
      assertEquals(result.sent, result.answered)
      assert(result.sent > 3, result.summary)
    }
    assertEquals(most.get, 3)
    val stuck = Load.closed(clients = 2, time = 500.millis, timeOut = 20.millis).run("stuck") { () =>
      number.incrementAndGet()
      Promise[Int]().future
    }
    assertEquals(stuck.timeOuts, stuck.sent)
    assertEquals(stuck.sent, number.get.toLong)
    assert(stuck.sent > 2, stuck.summary)
  }

  test("a rejection by an executor, and a null, are errors of the call") {
    val closed = Executors.newSingleThreadExecutor()
    closed.close()
    val refused = Load.open(100, 50.millis).runBlocking("refused", closed)(() => 1)
    assertEquals(refused.errors, Map(classOf[RejectedExecutionException].getName -> 5L))
    assertEquals(refused.answersPerSecond, 0.0)
    assertEquals(refused.latency.percentileNanos(99), 0L)
    val nothing: Future[Int] = Option.empty[Future[Int]].orNull
    assertEquals(Load.open(100, 50.millis).run("null")(() => nothing).errors.values.sum, 5L)
  }

  test("an interrupted run stops immediately and leaves no thread") {
    val outcome = new AtomicReference[String]("nothing yet")
    val sent = new AtomicInteger
    val began = new java.util.concurrent.CountDownLatch(1)
    val cell = new Thread(() =>
      try {
        Load.open(rate = 100, time = 1.hour).run("endless") { () =>
          sent.incrementAndGet()
          began.countDown()
          Future.unit
        }
        outcome.set("ended")
      } catch { case _: InterruptedException => outcome.set("interrupted") }
    )
    cell.start()
    began.await()
    cell.interrupt()
    cell.join(10000)
    assertEquals(outcome.get, "interrupted")
    assertEquals(generators, 0)
  }

  test("a fatal error of the call ends the run instead of hanging it") {
    val outcome = // munit's intercept doesn't catch fatal errors
      try Load.open(100, 10.seconds).run("fatal")(() => throw new LinkageError("on purpose")).toString
      catch { case error: LinkageError => error.getMessage }
    assertEquals(outcome, "on purpose")
    assertEquals(generators, 0)
  }

  test("bad input names the value, the rule and a remedy") {
    def message(load: => Any): String = intercept[IllegalArgumentException](load).getMessage
    assertEquals(
      message(Load.open(0, 1.second)),
      "rate = 0.0: calls arrive at more than 0 and at most 100,000 per second. Try `rate = 100`."
    )
    assert(message(Load.open(Double.NaN, 1.second)).startsWith("rate = NaN"))
    assert(message(Load.open(1, Duration.Zero)).startsWith("time = 0"))
    assert(message(Load.open(1, 1.second, warmUp = -1.second)).startsWith("warmUp = -1 second"))
    assert(message(Load.closed(0, 1.second)).startsWith("clients = 0"))
    assert(message(Load.closed(1, 1.second, timeOut = Duration.Zero)).startsWith("timeOut = 0"))
    assert(message(Latencies.of(Nil).percentileNanos(101)).startsWith("percent = 101"))
  }

  test("latencies are HdrHistogram's: percentiles to three digits, and a copy that doesn't change") {
    val latencies = Latencies.of((1L to 10000L).map(_ * 1000))
    assertEquals(latencies.count, 10000L)
    assertEqualsDouble(latencies.percentileNanos(50) / 5e6, 1.0, 0.001)
    assertEqualsDouble(latencies.percentileNanos(99.9) / 9.99e6, 1.0, 0.001)
    val source = new org.HdrHistogram.Histogram(3)
    val copy = Latencies.of(source)
    source.recordValue(5)
    assertEquals(copy.count, 0L)
  }

  test("percentile curves rise, end where the count of calls allows no more, and carry a table of all results") {
    val (fast, slow) = (Latencies.of((1L to 1000L).map(_ * 1000)), Latencies.of((1L to 1000L).map(_ * 1000000)))
    val chart = Chart.percentiles("slow is slow")(Seq("fast" -> fast, "slow" -> slow))
    val json = JsonParser.parseString(chart.figure.json).getAsJsonObject
    val layout = json.getAsJsonObject("layout")
    assertEquals(layout.getAsJsonObject("xaxis").get("type").getAsString, "log")
    assertEquals(layout.getAsJsonObject("yaxis").get("type").getAsString, "log")
    assertEquals(layout.getAsJsonObject("xaxis").getAsJsonArray("ticktext").asScala.map(_.getAsString).last, "99.9 %")
    for (trace <- json.getAsJsonArray("data").asScala.map(_.getAsJsonObject)) {
      val xs = trace.getAsJsonArray("x").asScala.map(_.getAsDouble).toVector
      val ys = trace.getAsJsonArray("y").asScala.map(_.getAsDouble).toVector
      assertEquals((xs, ys), (xs.sorted, ys.sorted))
      assert(xs.head >= 1 && xs.last <= 1002, xs)
    }
    assert(chart.plain.contains("p99.9") && chart.plain.contains("slow"), chart.plain)
  }

  test("all runs of a cell share one line, with one warning") {
    def result(name: String, lateMillis: Long): LoadResult = {
      val (latency, lag) = (Latencies.of(Seq(20000000L)), Latencies.of(Seq(lateMillis * 1000000)))
      new LoadResult(name, "300/s", 1, 1, Map.empty, 0, 1000000000L, latency, lag)
    }
    val (prompt, late, later) = (result("prompt", 1), result("late", 6), result("later", 12))
    assertEquals(Seq(prompt, late).map(_.warning.nonEmpty), Seq(false, true))
    assertEquals(LoadLine.words(Seq(prompt)), prompt.summary)
    val words = LoadLine.words(Seq(late, later, prompt))
    assert(words.startsWith("3 runs, the last: prompt") && words.linesIterator.size == 1, words)
    assertEquals("some calls left \\d+ ms late".r.findAllIn(words).toSeq, Seq("some calls left 12 ms late"))
    assertNotEquals(LoadLine.ofThisCell, { Display.begin(); LoadLine.ofThisCell })
    assertEquals(LoadLine.ofThisCell, LoadLine.ofThisCell)
  }
}

package lab.chart

import com.google.gson.{JsonArray, JsonObject, JsonParser}
import plotly.element.{Color, Line, OneOrSeq}
import plotly.layout.{Axis, Font, Layout}
import plotly.{Bar, Config, Scatter, Sequence}

import lab.trace.Spans
import lab.trace.{Interval, Scene, TaskSpan, Timeline, WaitForGraph, Worker}

import scala.jdk.CollectionConverters._

class ChartSuite extends munit.FunSuite {
  private def parse(chart: Chart): JsonObject = JsonParser.parseString(chart.figure.json).getAsJsonObject
  private def traces(chart: Chart): Seq[JsonObject] = parse(chart).getAsJsonArray("data").asScala.map(_.getAsJsonObject).toSeq
  private def both[T](two: Seq[T]): (T, T) = {
    assertEquals(two.size, 2)
    (two.head, two.last)
  }
  private def title(chart: Chart): String = parse(chart).getAsJsonObject("layout").getAsJsonObject("title").get("text").getAsString
  private def axis(chart: Chart, name: String): JsonObject = parse(chart).getAsJsonObject("layout").getAsJsonObject(name)
  private def strings(array: JsonArray): Seq[String] = array.asScala.map(_.getAsString).toSeq
  private def doubles(array: JsonArray): Seq[Double] = array.asScala.map(_.getAsDouble).toSeq

  test("a typed figure becomes Plotly's JSON: types, colours, titles as objects, gaps for what isn't finite, nothing for what isn't set") {
    val figure = Figure(
      Seq(
        Scatter(Sequence.Doubles(Seq(1, Double.NaN)), Sequence.Strings(Seq("a", "b")))
          .withLine(Line().withColor(OneOrSeq.One[Color](Color.RGBA(1, 2, 3, 0.5))))
      ),
      Layout().withTitle("t").withXaxis(Axis().withTitle("x").withTitlefont(Font(size = 9)).withRange(plotly.Range.Doubles((0.0, 1.0)))),
      Config().withResponsive(true),
      Seq(
        "layout.uniformtext.mode" -> Figure.encode("hide"),
        "data.cliponaxis" -> Figure.encode(false),
        "data.0.line.shape" -> Figure.encode("hv")
      )
    )
    val expected =
      """{"data":[{"type":"scatter","x":[1.0,null],"y":["a","b"],"line":{"color":"rgba(1,2,3,0.5)","shape":"hv"},"cliponaxis":false}],
        |"layout":{"xaxis":{"range":[0.0,1.0],"title":{"text":"x","font":{"size":9}}},"title":{"text":"t"},"uniformtext":{"mode":"hide"}},
        |"config":{"responsive":true}}""".stripMargin
    assertEquals(JsonParser.parseString(figure.json), JsonParser.parseString(expected))
  }

  test("a value that the model doesn't have is rejected by name") {
    assert(intercept[IllegalArgumentException](Figure.encode(new Object)).getMessage.contains("java.lang.Object"))
  }

  test("bars: one trace, a text for each bar, a table row for each name, a summary") {
    val chart = Chart.bars("two is more", "what", "tasks")(Seq("one" -> 1.0, "two" -> 2.0))
    val bar = traces(chart).head
    assertEquals(bar.get("type").getAsString, "bar")
    assertEquals(doubles(bar.getAsJsonArray("y")), Seq(1.0, 2.0))
    assertEquals(title(chart), "two is more")
    assertEquals(chart.table.rows, Seq(Seq("one", "1"), Seq("two", "2")))
    assertEquals(chart.summary, "tasks: from 1 (one) to 2 (two).")
  }

  test("groups: error bars where there is an error, a dash where a series has no bar") {
    val chart = Chart.groups("t", "x", "y")(Seq("a" -> Seq("p" -> Chart.Value(1, 0.5)), "b" -> Seq("q" -> Chart.Value(2))))
    val (a, b) = both(traces(chart).filter(_.get("type").getAsString == "bar"))
    assertEquals(doubles(a.getAsJsonObject("error_y").getAsJsonArray("array")), Seq(0.5))
    assert(!b.has("error_y"))
    assertEquals(chart.table.rows, Seq(Seq("p", "1 ± 0.5", "–"), Seq("q", "–", "2")))
  }

  test("groups: numbers are beyond the error bars, at their bars, and there is room for them") {
    val chart = Chart.groups("t", "x", "y")(Seq("a" -> Seq("p" -> Chart.Value(10, 5)), "b" -> Seq("p" -> Chart.Value(3))))
    val (a, b) = both(traces(chart).filter(_.get("type").getAsString == "scatter"))
    assertEquals(doubles(a.getAsJsonArray("y")) ++ doubles(b.getAsJsonArray("y")), Seq(15.0, 3.0))
    assertEquals(strings(a.getAsJsonArray("text")), Seq("10"))
    assertEquals(doubles(a.getAsJsonObject("error_y").getAsJsonArray("arrayminus")), Seq(10.0))
    assertEquals(traces(chart).map(_.get("offsetgroup").getAsString), Seq("0", "1", "0", "1"))
    assert(doubles(axis(chart, "yaxis").getAsJsonArray("range")).last > 15)
  }

  test("numbers that don't fit are only in the table, and names that don't fit make the bars horizontal") {
    def many(names: Int, name: String) =
      Chart.groups("t", "x", "y")((1 to 3).map(n => s"series $n" -> (1 to names).map(at => s"$name$at" -> Chart.Value(1234.0 + at))))
    def words(chart: Chart) = traces(chart).filter(_.has("text")).flatMap(trace => strings(trace.getAsJsonArray("text"))).toSet
    assertEquals(words(many(8, "n")), Set(""))
    assert(!traces(many(8, "n")).head.has("orientation"))
    val lying = many(8, "a-rather-long-name-")
    assertEquals(traces(lying).head.get("orientation").getAsString, "h")
    assertEquals(axis(lying, "yaxis").get("autorange").getAsString, "reversed")
    assert(words(lying).contains("1,235"))
  }

  test("if all values are whole and small, the ticks are whole, too") {
    def ticks(values: Double*) =
      Option(axis(Chart.bars("t", "x", "y")(values.map(v => s"$v" -> v)), "yaxis").get("dtick")).map(_.getAsDouble)
    assertEquals(
      Seq(ticks(1, 1), ticks(2, 6), ticks(3, 11), ticks(100, 2), ticks(0.5, 1)),
      Seq(Some(1.0), Some(1.0), Some(2.0), None, None)
    )
    def written(value: Double) = axis(Chart.bars("t", "x", "y")(Seq("a" -> value)), "yaxis").get("exponentformat").getAsString
    assertEquals(Seq(written(73100), written(1.2e9)), Seq("none", "SI"))
  }

  test("stacked: a trace for each part, a gap is nothing, the sum after the bar; a negative part is rejected") {
    val chart = Chart.stacked("t", "where", "frames")(Seq("global" -> Seq("yours" -> 1.0, "JDK" -> 5.0), "direct" -> Seq("yours" -> 12.0)))
    val Vector(yours, jdk, sums) = traces(chart).toVector: @unchecked
    assertEquals(
      Seq(yours, jdk).map(part => part.get("name").getAsString -> doubles(part.getAsJsonArray("x"))),
      Seq("yours" -> Seq(1.0, 12.0), "JDK" -> Seq(5.0, 0.0))
    )
    assertEquals(strings(jdk.getAsJsonArray("text")), Seq("5", ""))
    assertEquals(doubles(sums.getAsJsonArray("x")), Seq(6.0, 12.0))
    assertEquals(parse(chart).getAsJsonObject("layout").get("barmode").getAsString, "stack")
    assertEquals(chart.table.rows, Seq(Seq("global", "1", "5", "6"), Seq("direct", "12", "0", "12")))
    assertEquals(chart.summary, "frames: from 6 (global) to 12 (direct).")
    val refused = intercept[IllegalArgumentException](Chart.stacked("t", "x", "y")(Seq("a" -> Seq("b" -> -1.0))))
    assert(refused.getMessage.contains("'b' of 'a' is -1.0"), refused.getMessage)
  }

  test("lines: measured points with their errors and a theory's line in one colour") {
    val theory = Chart.Points(Seq(1.0 -> 1.0, 2.0 -> 4.0)).lineOnly
    val chart = Chart.lines("t", "x", "y")(
      Seq("theory" -> theory, "measured" -> Chart.Points(Seq(1.0 -> 1.1), errors = Seq(0.5)).marksOnly.as("theory"))
    )
    val (line, marks) = both(traces(chart))
    assertEquals((line.get("mode").getAsString, marks.get("mode").getAsString), ("lines", "markers"))
    assertEquals(marks.getAsJsonObject("marker").get("color"), line.getAsJsonObject("line").get("color"))
    assertEquals(doubles(marks.getAsJsonObject("error_y").getAsJsonArray("array")), Seq(0.5))
    assertEquals(chart.table.rows, Seq(Seq("1", "1", "1.1 ± 0.5"), Seq("2", "4", "–")))
    intercept[IllegalArgumentException](Chart.lines("t", "x", "y")(Seq("measured" -> theory.as("nobody"))))
    intercept[IllegalArgumentException](Chart.lines("t", "x", "y")(Seq("a" -> theory.copy(errors = Seq(1.0)))))
  }

  test("lines: values that double get a logarithmic axis with ticks at the values, and predictions are marked") {
    val doubling = Chart.Points(Seq(1.0 -> 10.0, 2.0 -> 20.0, 4.0 -> 40.0, 8.0 -> 41.0))
    val chart = Chart.lines("t", "threads", "rate", at = Seq("predicted" -> 5.0), logX = true)(Seq("a" -> doubling))
    assertEquals(axis(chart, "xaxis").get("type").getAsString, "log")
    assertEquals(doubles(axis(chart, "xaxis").getAsJsonArray("tickvals")), Seq(1.0, 2.0, 4.0, 8.0))
    val layout = parse(chart).getAsJsonObject("layout")
    assertEquals(layout.getAsJsonArray("shapes").get(0).getAsJsonObject.get("x0").getAsDouble, 5.0)
    assertEqualsDouble(layout.getAsJsonArray("annotations").get(0).getAsJsonObject.get("x").getAsDouble, math.log10(5), 1e-9)
    assert(chart.summary.endsWith("Marked: predicted at 5."), chart.summary)
    val refused = intercept[IllegalArgumentException](Chart.lines("t", "x", "rate", logY = true)(Seq("a" -> Chart.Points(Seq(1.0 -> 0.0)))))
    assert(refused.getMessage.contains("'rate'") && refused.getMessage.contains("logY"), refused.getMessage)
  }

  test("logarithmic ticks: decades if there are many, 1, 2 and 5 if there are few, more if all values are close together") {
    assertEquals(Scale.logTicks(Seq(3.0, 30000000.0)).take(3), Seq(1.0, 10.0, 100.0))
    assertEquals(Scale.logTicks(Seq(0.2, 40.0)), Seq(0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0))
    assert(Scale.logTicks(Seq(10.0, 19.0)).count(tick => tick >= 10 && tick <= 19) >= 3)
    assertEquals(Scale.logTicks(Nil), Nil)
  }

  test("a wait-for graph: a cycle is found, a tree has none; an arrow for each edge, names for the nodes, all of it in words") {
    val deadlock = WaitForGraph(Seq("outer" -> "inner", "inner" -> "thread", "thread" -> "outer", "other" -> "inner"))
    assertEquals(deadlock.circle.map(_.size), Some(4))
    assertEquals(deadlock.circle.map(circle => circle.head == circle.last && circle.toSet == Set("outer", "inner", "thread")), Some(true))
    assertEquals(WaitForGraph(Seq("a" -> "b", "a" -> "c", "b" -> "d", "c" -> "d")).circle, None)
    assertEquals(WaitForGraph(Seq("self" -> "self")).circle, Some(Vector("self", "self")))
    val chart = deadlock.chart("a circle")
    val arrows = parse(chart).getAsJsonObject("layout").getAsJsonArray("annotations").asScala.map(_.getAsJsonObject).toSeq
    assertEquals(arrows.size, 4)
    assertEquals(traces(chart).head.getAsJsonArray("text").size, 4)
    // A vertical arrow ends a line's height from a name, a horizontal one half the name's length.
    assert(arrows.forall(arrow => Seq("standoff", "startstandoff").forall(arrow.get(_).getAsDouble >= 14)), arrows)
    assertEquals(chart.table.rows.size, 4)
    assert(chart.summary.startsWith("outer waits for inner; inner waits for thread"), chart.summary)
  }

  test("lines: a band is a closed shape, and needs an edge for each point") {
    val chart = Chart.lines("t", "x", "y")(Seq("a" -> Chart.Points(Seq(1.0 -> 1.0, 2.0 -> 2.0), Seq(0.5 -> 1.5, 1.5 -> 2.5))))
    val (band, line) = both(traces(chart))
    assertEquals(doubles(band.getAsJsonArray("x")), Seq(1.0, 2.0, 2.0, 1.0))
    assertEquals(doubles(band.getAsJsonArray("y")), Seq(0.5, 1.5, 2.5, 1.5))
    assertEquals(line.get("mode").getAsString, "lines+markers")
    intercept[IllegalArgumentException](Chart.lines("t", "x", "y")(Seq("a" -> Chart.Points(Seq(1.0 -> 1.0), Seq(0.0 -> 1.0, 0.0 -> 1.0)))))
  }

  test("a long title is broken into lines and possible markup is escaped") {
    val chart = Chart.bars("word " * 40 + "a < b", "x", "y")(Seq("one" -> 1.0))
    assert(title(chart).split("<br>").forall(_.length <= 90), title(chart))
    assert(title(chart).endsWith("a &lt; b"))
  }

  test("text between backticks in a title is set as code; a legend of several rows gets room") {
    assertEquals(title(Chart.bars("`a < b` is less", "x", "y")(Nil)), """<span style="font-family:monospace">a &lt; b</span> is less""")
    def top(series: Int) = {
      val chart = Chart.lines("t", "x", "y")((1 to series).map(n => s"a series with a name, number $n" -> Chart.Points(Seq(1.0 -> 1.0))))
      parse(chart).getAsJsonObject("layout").getAsJsonObject("margin").get("t").getAsInt
    }
    assert(top(1) < top(2) && top(2) < top(6), s"${top(1)} ${top(2)} ${top(6)}")
  }

  test("a timeline labels blocked tasks where they are blocked longest, and draws no wait that is too short to see") {
    val millis = 1000000L
    val pauses = Seq(Interval(11 * millis, 12 * millis), Interval(20 * millis, 90 * millis))
    val spans = Seq(Spans.span("query", Spans.left, 0, 10, 100 * millis, pauses: _*))
    val byName = traces(Timeline("t", spans)).map(trace => trace.get("name").getAsString -> trace).toMap
    assertEquals(byName.keySet, Set("running", "blocked"))
    assertEquals(strings(byName("blocked").getAsJsonArray("text")), Seq("", "query"))
    assertEquals(strings(byName("running").getAsJsonArray("text")), Seq(""))
  }

  test("a timeline has the bars of each kind in its lane") {
    val chart = Timeline("t", Spans.queue)
    val byName = traces(chart).map(trace => trace.get("name").getAsString -> trace).toMap
    assertEquals(byName.keySet, Set("waiting in the queue", "running", "running on a spare thread", "blocked"))
    assertEquals(doubles(byName("running").getAsJsonArray("base")), Seq(1.0, 41.0))
    assertEquals(doubles(byName("running").getAsJsonArray("x")), Seq(40.0, 5.0))
    assertEquals(doubles(byName("blocked").getAsJsonArray("x")), Seq(3.0))
    assertEquals(byName("waiting in the queue").getAsJsonArray("x").size, 3)
    val ticks = parse(chart).getAsJsonObject("layout").getAsJsonObject("yaxis").getAsJsonArray("ticktext").asScala.map(_.getAsString).toSeq
    assertEquals(ticks, Seq("pool-1", "pool-2 (spare)"))
  }

  private val ms = 1000000L
  private def request(n: Int, at: Long, from: Long, until: Long) = Spans.span(s"request $n", Spans.left, at * ms, from * ms, until * ms)
  private val behindReport = Vector(Spans.span("report 1", Spans.left, 90 * ms, 90 * ms, 130 * ms)) ++
    (0 until 5).map(n => request(n, 100L + n, 130L + n, 131L + n)) :+ request(9, 300, 300, 301)
  private def named(chart: Chart) = traces(chart).map(trace => trace.get("name").getAsString -> trace).toMap

  test("a window shows the rest of earlier tasks, on the same clock as the table") {
    val chart = Timeline("t", Scene(behindReport, window = Some(Interval(110 * ms, 140 * ms))))
    val running = named(chart)("running")
    assertEquals(doubles(running.getAsJsonArray("base")).head, 0.0)
    assertEquals(doubles(running.getAsJsonArray("x")).head, 20.0)
    assertEquals(doubles(axis(chart, "xaxis").getAsJsonArray("range")), Seq(0.0, 30.0))
    assertEquals(chart.table.rows.head.slice(3, 4), Seq("-20.00"))
    assertEquals(chart.table.rows.size, 6)
    assert(axis(chart, "xaxis").getAsJsonObject("title").get("text").getAsString.endsWith("0 is 20 ms after the first task was submitted"))
  }

  test("the story's task has a lane, a colour and a hatch of its own, and words from the data") {
    val one = behindReport.find(_.label == "request 4")
    val chart = Timeline("t", Scene(behindReport, story = one, kind = _.label.takeWhile(_ != ' '), notes = Seq(120 * ms -> "half-way")))
    val byName = named(chart)
    assertEquals(byName.keySet, Set("waiting in the queue", "report", "request", "this task waits", "this task runs"))
    def color(name: String) = byName(name).getAsJsonObject("marker").get("color").getAsString
    assertEquals(Seq("report", "request", "this task runs").map(color).distinct.size, 3)
    assert(byName("this task waits").getAsJsonObject("marker").has("pattern"))
    assertEquals(strings(axis(chart, "yaxis").getAsJsonArray("ticktext")), Seq("▶ request 4", "pool-1"))
    assertEquals(byName("this task runs").getAsJsonArray("x").size, 2)
    assert(chart.summary.contains("`request 4` arrives, waits behind `report 1` (26 ms) and 4 others, runs 1 ms."), chart.summary)
    assert(chart.summary.contains("Marked: half-way at 30 ms"), chart.summary)
    val words = parse(chart).getAsJsonObject("layout").getAsJsonArray("annotations").asScala.map(_.getAsJsonObject.get("text").getAsString)
    assert(words.exists(_.contains("waits behind report 1")) && words.exists(_.contains("half-way")), words)
  }

  test("tasks that wait simultaneously are below each other") {
    val waiting = named(Timeline("t", behindReport))("waiting in the queue")
    assertEquals(doubles(waiting.getAsJsonArray("y")).distinct.size, 5)
  }

  test("stacked timelines begin at the same distance before their story, and share an axis and a legend") {
    val one = Scene(behindReport, story = behindReport.find(_.label == "request 4"))
    val two = Scene(behindReport, story = behindReport.find(_.label == "request 9"))
    val chart = Timeline.stacked("t")("late" -> one, "soon" -> two)
    val layout = parse(chart).getAsJsonObject("layout")
    assertEquals(layout.getAsJsonObject("xaxis2").get("matches").getAsString, "x")
    assertEquals(Seq("xaxis", "xaxis2").map(name => doubles(axis(chart, name).getAsJsonArray("range"))).distinct.size, 1)
    val starts = traces(chart).filter(_.get("name").getAsString == "this task runs").map(trace => doubles(trace.getAsJsonArray("base")).min)
    val waits = traces(chart).filter(_.get("name").getAsString == "this task waits").map(trace => doubles(trace.getAsJsonArray("base")).min)
    assertEqualsDouble(waits.head, starts.last, 0.001)
    assertEquals(chart.table.rows.map(_.take(3)), Seq(Seq("late", "request 4", "30 ms"), Seq("soon", "request 9", "0 ns")))
    val legend =
      traces(chart).filter(trace => !trace.has("showlegend") || trace.get("showlegend").getAsBoolean).map(_.get("name").getAsString)
    assertEquals(legend.distinct, legend)
    assertEquals(chart.parts.map(_._2.table.rows.size), Seq(6, 1))
  }

  test("a timeline that is played shows what has happened so far, and stays light") {
    val chart = Timeline.play("t", behindReport)
    val frames = parse(chart).getAsJsonArray("frames").asScala.map(_.getAsJsonObject).toVector
    assertEquals(frames.size, 60)
    val layout = parse(chart).getAsJsonObject("layout")
    assertEquals(layout.getAsJsonArray("sliders").get(0).getAsJsonObject.getAsJsonArray("steps").size, 60)
    assertEquals(layout.getAsJsonArray("updatemenus").get(0).getAsJsonObject.getAsJsonArray("buttons").size, 2)
    def said(frame: JsonObject) = frame.getAsJsonObject("layout").getAsJsonObject("title").get("text").getAsString
    assert(said(frames(9)).contains("5 wait, 1 runs, 0 done"), said(frames(9)))
    assert(said(frames.last).contains("0 wait, 0 run, 7 done"), said(frames.last))
    def lengths(frame: JsonObject) = // of the tasks that have begun
      frame.getAsJsonArray("data").asScala.flatMap(_.getAsJsonObject.getAsJsonArray("x").asScala).filterNot(_.isJsonNull).map(_.getAsDouble)
    def drawn(frame: JsonObject) = lengths(frame).sum
    val begun = Seq(0, 9, 59).map(frame => lengths(frames(frame)).size)
    assertEquals(begun, begun.distinct.sorted)
    val sums = frames.map(drawn)
    assert(sums.zip(sums.drop(1)).forall { case (one, next) => one <= next }, sums)
    assertEquals(frames.head.getAsJsonArray("data").get(0).getAsJsonObject.keySet.asScala.toSet, Set("x"))
    assert(chart.figure.json.length < 30000, chart.figure.json.length)
    val many = (0 until 5000).map(n => Spans.span(s"t$n", Spans.left, n * 90000L, n * 100000L, n * 100000L + 99000)).toVector
    assert(Timeline.play("t", many).figure.json.length < 200000, Timeline.play("t", many).figure.json.length)
    Timeline.play("t", Vector.empty).figure.json
  }

  test("a slider: a frame for each value, only what differs in it, one scale for all, and all of it in words") {
    def at(n: Int) = Chart.lines(s"found at $n", "x", "y")(Seq("a" -> Chart.Points(Seq(1.0 -> n.toDouble, 2.0 -> 2.0 * n))))
    val chart = Chart.explore("all", parameter = "threads")(Seq(1, 2, 4).map(n => n.toString -> at(n)))
    val frames = parse(chart).getAsJsonArray("frames").asScala.map(_.getAsJsonObject).toVector
    assertEquals(frames.size, 3)
    assertEquals(frames.last.getAsJsonArray("data").toString, """[{"y":[4.0,8.0]}]""")
    assertEquals(frames.last.getAsJsonObject("layout").keySet.asScala.toSet, Set("title"))
    assert(frames.last.getAsJsonObject("layout").getAsJsonObject("title").get("text").getAsString.contains("found at 4"))
    assert(doubles(axis(chart, "yaxis").getAsJsonArray("range")).last > 8)
    val step = parse(chart).getAsJsonObject("layout").getAsJsonArray("sliders").get(0).getAsJsonObject.getAsJsonArray("steps").get(2)
    assertEquals(step.getAsJsonObject.get("label").getAsString, "4")
    assertEquals(step.getAsJsonObject.getAsJsonArray("args").get(0).getAsJsonArray.get(0), frames.last.get("name"))
    assertEquals(chart.table.rows.map(_.take(2)), Seq(Seq("1", "found at 1"), Seq("2", "found at 2"), Seq("4", "found at 4")))
    assert(chart.plain.contains("threads: 4: found at 4"), chart.plain)
    assertEquals("<details>".r.findAllIn(chart.bundles.last("text/html")).size, 4)
    assert(intercept[IllegalArgumentException](Chart.explore("t", "x")(Seq("1" -> at(1)))).getMessage.contains("at least two"))
    intercept[IllegalArgumentException](Chart.explore("t", "x")(Seq("1" -> at(1), "1" -> at(2))))
  }

  test("a slider over pictures with different traces: a missing trace is empty") {
    val idle = Timeline("idle", behindReport.takeRight(1))
    val chart = Chart.explore("t", "load")(Seq("low" -> idle, "high" -> Timeline("busy", behindReport)))
    assertEquals(traces(chart).map(_.get("name").getAsString).toSet, Set("running", "waiting in the queue"))
    assertEquals(traces(chart).find(_.get("name").getAsString == "waiting in the queue").map(_.getAsJsonArray("x").size), Some(0))
  }

  test("a slider over panels: each panel has one place in all pictures, and the names have one margin") {
    def at(lanes: Int) = Chart.panels("all")(
      Timeline(
        "lanes",
        Seq.tabulate(lanes)(n => behindReport.last.copy(worker = Some(Worker(s"a-thread-with-a-long-name-$n", n + 1L, false, false))))
      ),
      Chart.lines("line", x = "a", y = "b")(Seq("line" -> Chart.Points(Seq(1.0 -> 1.0, 2.0 -> 2.0))))
    )
    val chart = Chart.explore("t", "lanes")(Seq(2, 8).map(n => n.toString -> at(n)))
    val changing = parse(chart).getAsJsonArray("frames").asScala.flatMap { frame =>
      Option(frame.getAsJsonObject.getAsJsonObject("layout")).toSeq.flatMap { layout =>
        layout.keySet.asScala.filter(Set("height", "margin")) ++ layout.keySet.asScala
          .filter(_.contains("axis"))
          .filter(name => layout.getAsJsonObject(name).has("domain"))
      }
    }
    assertEquals(changing.toVector, Vector.empty)
    val domains = Seq("yaxis", "yaxis2").map(name => doubles(axis(chart, name).getAsJsonArray("domain")))
    assert(domains.head.head > domains.last.last, domains)
    assert(Seq("yaxis", "yaxis2").forall(name => !axis(chart, name).get("automargin").getAsBoolean))
  }

  test("unequal bounds: the error bar reaches to each of them") {
    val chart = Chart.groups("t", "what", "µs")(Seq("µs" -> Seq("a" -> Chart.Value(10, error = 20, below = 5))))
    assertEquals(chart.table.rows.map(_.last), Seq("10 (5 to 30)"))
    val core = traces(chart).last.getAsJsonObject("error_y")
    assertEquals((doubles(core.getAsJsonArray("array")), doubles(core.getAsJsonArray("arrayminus"))), (Seq(0.0), Seq(25.0)))
  }

  test("panels: each has its own axes, marks and groups; the legend has each name once") {
    def lines(title: String) =
      Chart.lines(title, "x", "y", at = Seq("here" -> 1.0))(Seq("a", "b").map(_ -> Chart.Points(Seq(1.0 -> 1.0, 2.0 -> 2.0))))
    val chart = Chart.panels("both")(lines("upper"), lines("lower"))
    assertEquals(traces(chart).map(_.get("yaxis").getAsString), Seq("y", "y", "y2", "y2"))
    assertEquals(traces(chart).map(trace => trace.has("showlegend")), Seq(false, false, true, true))
    val layout = parse(chart).getAsJsonObject("layout")
    assertEquals(layout.getAsJsonArray("shapes").get(1).getAsJsonObject.get("yref").getAsString, "y2 domain")
    val (upper, lower) = both(Seq("yaxis", "yaxis2").map(name => doubles(axis(chart, name).getAsJsonArray("domain"))))
    assert(upper.head > lower.last && lower.head >= 0 && upper.last <= 1, s"$upper $lower")
    val stacked = Chart.stacked("t", "x", "y")(Seq("a" -> Seq("b" -> 1.0)))
    val refused = intercept[IllegalArgumentException](Chart.panels("t")(stacked, Chart.bars("t", "x", "y")(Seq("a" -> 1.0))))
    assert(refused.getMessage.contains("one by one"), refused.getMessage)
  }

  test("frames: a field that an object lacks is null there, and equal fields are left out") {
    def json(text: String) = JsonParser.parseString(text).getAsJsonObject
    val both = Frames.differences(Seq(json("""{"a":1,"b":{"c":1,"d":2},"e":[1]}"""), json("""{"a":1,"b":{"c":2,"d":2}}""")))
    assertEquals(both, Seq(Some(json("""{"b":{"c":1},"e":[1]}""")), Some(json("""{"b":{"c":2},"e":null}"""))))
    assertEquals(Frames.differences(Seq(json("""{"a":1}"""), json("""{"a":1}"""))), Seq(None, None))
  }

  test("the seventh series differs from the first by more than its colour; marks that coincide get smaller, and are named") {
    val points = (1 to 7).map(n => s"s$n" -> Chart.Points((0 to 4).map(x => x.toDouble -> (if (n < 5) n * x.toDouble else 20.0 + x))))
    def styles(of: Seq[(String, Chart.Points)]) = traces(Chart.lines("t", "x", "y")(of)).map { trace =>
      (trace.getAsJsonObject("line"), trace.getAsJsonObject("marker").get("symbol"))
    }
    assertEquals(styles(points).distinct.size, 7)
    val marks = Chart.lines("t", "x", "y")(points.map { case (label, line) => label -> line.marksOnly })
    val sizes = traces(marks).map(_.getAsJsonObject("marker").get("size").getAsInt)
    assertEquals(sizes.takeRight(3), Seq(10, 8, 6))
    assert(marks.summary.contains("s5, s6 and s7 coincide."), marks.summary)
    val bars = Chart.groups("t", "x", "y")((1 to 7).map(n => s"s$n" -> Seq("a" -> Chart.Value(1))))
    assertEquals(traces(bars).take(7).map(_.getAsJsonObject("marker").has("pattern")), Seq.fill(6)(false) :+ true)
  }

  test("no word of a title is left alone on its last line") {
    val lines =
      title(Chart.bars("The unluckiest request waits 20 ms behind a report and runs for 0.6 ms, no more", "x", "y")(Nil)).split("<br>")
    assertEquals(lines.length, 2)
    assert(lines.map(_.length).min * 2 > lines.map(_.length).max, lines.mkString("|"))
  }

  test("a timeline of many tasks stays light and says that it merged") {
    val many = (0 until 5000).map(n => Spans.span(s"t$n", Spans.left, 0, n * 100L, n * 100L + 99)).toVector
    val chart = Timeline("t", many)
    assert(chart.figure.json.length < 20000, chart.figure.json.length)
    assert(chart.summary.contains("drawn as one"), chart.summary)
  }

  test("a timeline of many threads draws the first lanes and says so; virtual threads share lanes") {
    val threads =
      (0 until 100).map(n => Spans.span(s"t$n", Worker(s"w$n", n.toLong, virtual = false, spare = false), 0, n.toLong, 1000)).toVector
    assert(Timeline("t", threads).summary.contains("40 of 100 lanes"))
    assert(axis(Timeline("t", threads), "yaxis").getAsJsonObject("title").get("text").getAsString.contains("first 40 of 100"))
    val virtual =
      (0 until 100).map(n => Spans.span(s"t$n", Worker("", n.toLong, virtual = true, spare = false), 0, n * 10L, n * 10L + 9)).toVector
    val ticks = parse(Timeline("t", virtual)).getAsJsonObject("layout").getAsJsonObject("yaxis").getAsJsonArray("ticktext")
    assertEquals(ticks.size, 1)
  }

  test("a timeline without tasks, or of tasks without a thread, can be drawn") {
    Timeline("t", Vector.empty).figure.json
    val waiting = TaskSpan("late", "main", None, 5, None, None, Vector.empty, None)
    assert(Timeline("t", Vector(waiting)).figure.json.contains("no thread yet"))
  }

  test("lanes lose their common prefix") {
    assertEquals(
      Timeline.shorten(Vector("scala-execution-context-global-17", "scala-execution-context-global-8")),
      Vector("…global-17", "…global-8")
    )
    assertEquals(Timeline.shorten(Vector("worker-left", "worker-right")), Vector("worker-left", "worker-right"))
    assertEquals(Timeline.shorten(Vector("only-one")), Vector("only-one"))
  }

  test("a chart is sent with its words next to the picture, and again as a table") {
    val (picture, words) = both(Chart.bars("two is more", "what", "tasks")(Seq("one" -> 1.0, "two" -> 2.0)).bundles)
    assert(picture.contains("application/vnd.plotly.v1+json") && picture("text/plain").contains("two is more"))
    assert(words("text/html").contains("<th scope=\"row\"") && words("text/html").startsWith("<details>"))
    assert((picture.keySet ++ words.keySet).forall(_.nonEmpty) && words.contains("text/plain"))
  }

  test("bars of the model can be encoded with every field the lab uses") {
    val bar = Bar(Sequence.Doubles(Seq(1.0)), Sequence.Strings(Seq("a"))).withBase(OneOrSeq.Sequence(Seq(0.5))).withWidth(OneOrSeq.One(0.4))
    assertEquals(Figure.encode(bar).toString, """{"type":"bar","x":[1.0],"y":["a"],"width":0.4,"base":[0.5]}""")
  }
}

package lab

import com.google.gson.{JsonArray, JsonObject, JsonParser}
import plotly.element.{Color, Line, OneOrSeq}
import plotly.layout.{Axis, Font, Layout}
import plotly.{Bar, Config, Scatter, Sequence}

import scala.jdk.CollectionConverters._

class ChartSuite extends munit.FunSuite {
  private def parse(chart: Chart): JsonObject = JsonParser.parseString(chart.figure.json).getAsJsonObject
  private def traces(chart: Chart): Seq[JsonObject] = parse(chart).getAsJsonArray("data").asScala.map(_.getAsJsonObject).toSeq
  private def both[T](two: Seq[T]): (T, T) = {
    assertEquals(two.size, 2)
    (two.head, two.last)
  }
  private def title(chart: Chart): String = parse(chart).getAsJsonObject("layout").getAsJsonObject("title").get("text").getAsString
  private def doubles(array: JsonArray): Seq[Double] = array.asScala.map(_.getAsDouble).toSeq

  test("a typed figure becomes Plotly's JSON: types, colours, titles as objects, gaps for what isn't finite, nothing for what isn't set") {
    val figure = Figure(
      Seq(
        Scatter(Sequence.Doubles(Seq(1, Double.NaN)), Sequence.Strings(Seq("a", "b")))
          .withLine(Line().withColor(OneOrSeq.One[Color](Color.RGBA(1, 2, 3, 0.5))))
      ),
      Layout().withTitle("t").withXaxis(Axis().withTitle("x").withTitlefont(Font(size = 9)).withRange(plotly.Range.Doubles((0.0, 1.0)))),
      Config().withResponsive(true),
      Seq("layout.uniformtext.mode" -> Figure.encode("hide"), "data.cliponaxis" -> Figure.encode(false))
    )
    val expected =
      """{"data":[{"type":"scatter","x":[1.0,null],"y":["a","b"],"line":{"color":"rgba(1,2,3,0.5)"},"cliponaxis":false}],
        |"layout":{"xaxis":{"range":[0.0,1.0],"title":{"text":"x","font":{"size":9}}},"title":{"text":"t"},"uniformtext":{"mode":"hide"}},
        |"config":{"responsive":true}}""".stripMargin
    assertEquals(JsonParser.parseString(figure.json), JsonParser.parseString(expected))
  }

  test("a value that the model doesn't have is refused by name") {
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
    val (a, b) = both(traces(chart))
    assertEquals(doubles(a.getAsJsonObject("error_y").getAsJsonArray("array")), Seq(0.5))
    assert(!b.has("error_y"))
    assertEquals(chart.table.rows, Seq(Seq("p", "1 ± 0.5", "–"), Seq("q", "–", "2")))
  }

  test("lines: a band is a closed shape, and needs an edge for each point") {
    val chart = Chart.lines("t", "x", "y")(Seq("a" -> Chart.Points(Seq(1.0 -> 1.0, 2.0 -> 2.0), Seq(0.5 -> 1.5, 1.5 -> 2.5))))
    val (band, line) = both(traces(chart))
    assertEquals(doubles(band.getAsJsonArray("x")), Seq(1.0, 2.0, 2.0, 1.0))
    assertEquals(doubles(band.getAsJsonArray("y")), Seq(0.5, 1.5, 2.5, 1.5))
    assertEquals(line.get("mode").getAsString, "lines+markers")
    intercept[IllegalArgumentException](Chart.lines("t", "x", "y")(Seq("a" -> Chart.Points(Seq(1.0 -> 1.0), Seq(0.0 -> 1.0, 0.0 -> 1.0)))))
  }

  test("a long title is broken into lines and what could be markup is escaped") {
    val chart = Chart.bars("word " * 40 + "a < b", "x", "y")(Seq("one" -> 1.0))
    assert(title(chart).split("<br>").forall(_.length <= 90), title(chart))
    assert(title(chart).endsWith("a &lt; b"))
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
    val virtual =
      (0 until 100).map(n => Spans.span(s"t$n", Worker("", n.toLong, virtual = true, spare = false), 0, n * 10L, n * 10L + 9)).toVector
    val ticks = parse(Timeline("t", virtual)).getAsJsonObject("layout").getAsJsonObject("yaxis").getAsJsonArray("ticktext")
    assertEquals(ticks.size, 1)
  }

  test("a timeline of nothing, and of tasks that nobody took, can be drawn") {
    Timeline("t", Vector.empty).figure.json
    val waiting = TaskSpan("late", "main", None, 5, None, None, Vector.empty, None)
    assert(Timeline("t", Vector(waiting)).figure.json.contains("no thread yet"))
  }

  test("lanes lose the beginning that they share") {
    assertEquals(
      Timeline.shorten(Vector("scala-execution-context-global-17", "scala-execution-context-global-8")),
      Vector("…global-17", "…global-8")
    )
    assertEquals(Timeline.shorten(Vector("worker-left", "worker-right")), Vector("worker-left", "worker-right"))
    assertEquals(Timeline.shorten(Vector("only-one")), Vector("only-one"))
  }

  test("a chart goes out with its words beside the picture, and once more as a table") {
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

package lab.trace

import java.nio.file.Files
import java.util.concurrent.RejectedExecutionException

import com.google.gson.{JsonObject, JsonParser}

import scala.concurrent.ExecutionContext
import scala.jdk.CollectionConverters._

class ChromeTraceSuite extends munit.FunSuite {
  private val worker = Worker("pool-1", 7, virtual = false, spare = false)
  private val done =
    TaskSpan("parse", "main", Some(worker), 1000, Some(2500), Some(9500), Vector(Interval(3000, 4000)), None)

  private def events(json: String): Vector[JsonObject] =
    JsonParser.parseString(json).getAsJsonObject.getAsJsonArray("traceEvents").asScala.map(_.getAsJsonObject).toVector
  private def word(event: JsonObject, field: String): String = event.get(field).getAsString
  private def number(event: JsonObject, field: String): Double = event.get(field).getAsDouble
  private def phases(span: TaskSpan): Vector[String] = events(ChromeTrace.json(Seq(span))).map(word(_, "ph"))

  test("every event has the fields that its phase needs") {
    val needed = Map(
      "M" -> Set("name", "pid", "tid", "args"),
      "X" -> Set("name", "cat", "pid", "tid", "ts", "dur"),
      "b" -> Set("name", "cat", "pid", "tid", "ts", "id"),
      "e" -> Set("name", "cat", "pid", "tid", "ts", "id")
    )
    val all = events(ChromeTrace.json(Seq(done)))
    assertEquals(all.map(word(_, "ph")).toSet, needed.keySet)
    all.foreach(event => assertEquals(needed(word(event, "ph")) -- event.keySet.asScala, Set.empty[String], event))
  }

  test("a task is a stretch in its thread's lane, its blocked part lies inside, its wait before; times are microseconds") {
    val all = events(ChromeTrace.json(Seq(done)))
    val lane = all.filter(event => word(event, "name") == "thread_name")
    assertEquals(lane.map(event => (number(event, "tid"), word(event.getAsJsonObject("args"), "name"))), Vector((7.0, "pool-1")))
    val stretches = all.filter(word(_, "ph") == "X")
    assertEquals(
      stretches.map(event => (word(event, "name"), number(event, "tid"), number(event, "ts"), number(event, "dur"))),
      Vector(("parse", 7.0, 2.5, 7.0), ("blocked", 7.0, 3.0, 1.0))
    )
    val wait = all.filter(event => Set("b", "e")(word(event, "ph")))
    assertEquals(wait.map(event => (word(event, "ph"), number(event, "ts"))), Vector(("b", 1.0), ("e", 2.5)))
    assertEquals(wait.map(event => (word(event, "name"), word(event, "cat"), word(event, "id"))).distinct.size, 1)
    assertEquals(word(stretches.head.getAsJsonObject("args"), "submitted by"), "main")
  }

  test("what hasn't ended stays open, what was refused is a moment") {
    assertEquals(phases(done.copy(endedNanos = None, blocked = Vector.empty)), Vector("M", "M", "b", "e", "B"))
    val waiting = done.copy(worker = None, startedNanos = None, endedNanos = None, blocked = Vector.empty)
    assertEquals(phases(waiting), Vector("M", "b"))
    assertEquals(phases(waiting.copy(failure = Some(new RejectedExecutionException("full")))), Vector("M", "i"))
  }

  test("a trace saves itself where it is told to, making the folder") {
    val trace = Trace()
    trace.context(ExecutionContext.parasitic).as("say \"hi\"").execute(() => ())
    val folder = Files.createTempDirectory("traces")
    val file = folder.resolve("deeper").resolve("one.json")
    try {
      assertEquals(trace.saveChromeJson(file), file.toAbsolutePath)
      assertEquals(events(Files.readString(file)).filter(word(_, "ph") == "X").map(word(_, "name")), Vector("say \"hi\""))
      assertEquals(trace.saveChromeJson(file), file.toAbsolutePath, "a second time replaces the file")
    } finally {
      Files.deleteIfExists(file)
      Files.deleteIfExists(file.getParent)
      Files.delete(folder)
    }
  }
}

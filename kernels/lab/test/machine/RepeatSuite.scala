package lab.machine

import java.time.{Duration => JavaDuration}
import java.util.concurrent.{ConcurrentHashMap, CountDownLatch}
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.Using

class RepeatSuite extends munit.FunSuite {

  test("it repeats until it is closed, and leaves no thread behind") {
    val (calls, three, callers) = (new AtomicInteger, new CountDownLatch(3), ConcurrentHashMap.newKeySet[Thread])
    Using.resource(Repeat(first = Duration.Zero, every = 1.milli) {
      callers.add(Thread.currentThread)
      calls.incrementAndGet()
      three.countDown()
    })(_ => assert(three.await(10, SECONDS), "three calls"))
    val atTheEnd = calls.get
    assertEquals(callers.size, 1)
    // A closed pool's thread still has to finish its last steps.
    callers.asScala.foreach(thread => assert(thread.join(JavaDuration.ofSeconds(10)), s"$thread is left"))
    assertEquals(calls.get, atTheEnd)
  }

  test("invalid times are rejected") {
    assert(intercept[IllegalArgumentException](Repeat(1.second, Duration.Zero)(())).getMessage.contains("every = "))
    assert(intercept[IllegalArgumentException](Repeat(-1.second, 1.second)(())).getMessage.contains("first = "))
  }
}

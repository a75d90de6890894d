package lab.machine

import lab.load.{Holds, SlowService}

import scala.concurrent.duration._
import scala.util.Using

class FlightRecorderSuite extends munit.FunSuite {
  test("the recorder names each way to wait, and records no wait if a thread computes") {
    Using.resource(SlowService(takes = 60.millis)) { service =>
      FlightRecorder.start()
      val ways = Seq[() => Unit](
        () => Holds.sleep(60),
        () => Holds.await(60),
        () => Holds.lock(60),
        () => Holds.socket(service.port),
        () => Holds.compute(100)
      )
      val held = new Thread(() => ways.foreach(_()), "held-1")
      held.start()
      held.join()
      val events = FlightRecorder.read(FlightRecorder.stop(Holds.getClass)).filter(_.thread == "held-1")
      val waits = events.filter(_.name != "ExecutionSample")
      assertEquals(
        waits.map(event => event.method -> event.name).sorted,
        Vector("await" -> "ThreadPark", "lock" -> "JavaMonitorEnter", "sleep" -> "ThreadSleep", "socket" -> "SocketRead")
      )
      assert(waits.forall(_.millis >= 20), waits)
    }
  }

  test("without a recording there is nothing to return") {
    assert(intercept[IllegalStateException](FlightRecorder.stop(Holds.getClass)).getMessage.contains("start()"))
  }
}

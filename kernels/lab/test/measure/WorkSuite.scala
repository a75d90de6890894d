package lab.measure

import java.lang.management.ManagementFactory.getThreadMXBean

import scala.concurrent.duration._

class WorkSuite extends munit.FunSuite {
  import lab.page.ClaimSuite.shown

  private def calibrated(memoryKiB: Int = 16): Work = {
    var work = Option.empty[Work]
    shown { work = Some(Work.calibrated(memoryKiB)) }
    work.get
  }
  private lazy val work = calibrated()

  private def cpuMillis(body: => Unit): Double = {
    val from = getThreadMXBean.getCurrentThreadCpuTime
    body
    (getThreadMXBean.getCurrentThreadCpuTime - from) / 1e6
  }

  test("work of some milliseconds takes that much CPU time, even next to threads that take every CPU") {
    @volatile var on = true
    val burners = Seq.fill(Runtime.getRuntime.availableProcessors)(new Thread(() => while (on) Thread.onSpinWait()))
    burners.foreach { one => one.setDaemon(true); one.start() }
    val took =
      try Seq.fill(9)(cpuMillis(work(10.millis))).sorted.apply(4)
      finally on = false
    burners.foreach(_.join())
    assert(work.proof.passed, work.proof)
    assert(took > 6 && took < 16, s"10 ms took $took ms") // next to busy neighbours, the CPU itself may be slower
  }

  test("four times the time is four times the work") {
    val ratios = Seq.fill(15)(cpuMillis(work(20.millis)) / cpuMillis(work(5.millis))).sorted
    assert(ratios(7) > 3 && ratios(7) < 5.5, s"20 ms / 5 ms = $ratios")
  }

  test("a chain visits every place once and returns") {
    val chain = Work.chain(4)
    assertEquals(Iterator.iterate(0)(chain(_)).slice(1, chain.length + 1).toSet.size, chain.length)
    assertEquals(Work.walk(chain, chain.length.toLong), 0)
    assert(Work.walk(chain, chain.length - 1L) != 0)
  }

  test("a useless amount of memory is refused") {
    assert(intercept[IllegalArgumentException](Work.calibrated(0)).getMessage.contains("not 0"))
  }

  test("an instrument that is off says so") {
    assert(!Work.proved(stepsPerMilli = 1000.0).passed)
  }
}

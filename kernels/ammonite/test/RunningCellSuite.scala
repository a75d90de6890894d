package ammonite.course

import java.util.concurrent.{CountDownLatch, TimeUnit}

class RunningCellSuite extends munit.FunSuite {

  test("an interrupt reaches the running cell and nothing after it") {
    val running = new RunningCell
    assertEquals(running.interrupt(), None)
    val started = new CountDownLatch(1)
    val forever = new CountDownLatch(1)
    @volatile var flagAfterwards = true
    @volatile var interrupted = false
    val cell = new Thread(() => {
      try
        running.run {
          started.countDown()
          forever.await()
        }
      catch { case _: InterruptedException => interrupted = true }
      flagAfterwards = Thread.currentThread.isInterrupted
    })
    cell.start()
    assert(started.await(10, TimeUnit.SECONDS))
    val stillRuns = running.interrupt().getOrElse(fail("a cell runs"))
    cell.join(10000)
    assert(interrupted)
    assert(!flagAfterwards)
    assert(!stillRuns())
  }

  test("a cell that prints in a loop stops at its next output, once") {
    val running = new RunningCell
    // munit's intercept doesn't catch an InterruptedException.
    def stops(): Boolean =
      try { running.stopIfInterrupted(); false }
      catch { case _: InterruptedException => true }
    running.run {
      assert(!stops())
      running.interrupt()
      assert(stops())
      assert(!stops())
    }
    running.run(assert(!stops()))
  }
}

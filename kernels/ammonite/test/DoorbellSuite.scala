package ammonite.course

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.util.Using

import org.zeromq.{ZContext, ZMQ}

class DoorbellSuite extends munit.FunSuite {

  test("each ring wakes the thread, even from an interrupted thread, and even after a hundred thousand unnoticed rings") {
    Using.resource(new ZContext(1)) { context =>
      val bell = new Doorbell
      val poller = context.createPoller(1)
      def wakes(): Boolean = {
        poller.register(bell.channel, ZMQ.Poller.POLLIN)
        val woken = poller.poll(20000) > 0
        poller.unregister(bell.channel)
        woken
      }
      def ringFrom(interrupted: Boolean): Unit = {
        val rung = new CountDownLatch(1)
        new Thread(() => {
          if (interrupted) Thread.currentThread.interrupt()
          bell.ring()
          rung.countDown()
        }).start()
        assert(rung.await(20, TimeUnit.SECONDS))
      }
      for (interrupted <- Seq(false, true, true, false, true)) {
        ringFrom(interrupted)
        assert(wakes())
        bell.heard()
      }
      (1 to 100000).foreach(_ => bell.ring())
      assert(wakes())
      bell.close()
    }
  }
}

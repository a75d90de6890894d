package lab.process

import java.nio.file.Path
import java.util.concurrent.{CountDownLatch, ForkJoinPool, TimeUnit}

import scala.concurrent.duration._

class ChildEndSuite extends munit.FunSuite {
  private val obedient = "trap 'exit 0' TERM; echo ready; while :; do sleep 0.1; done"

  test("the end of a program is noticed although tasks occupy the common pool") {
    val (ready, ended, gate) = (new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1))
    val child = Child.start(Seq("/bin/sh", "-c", obedient), Path.of("").toAbsolutePath)(_ => ready.countDown(), _ => ())
    for (_ <- 1 to ForkJoinPool.getCommonPoolParallelism) ForkJoinPool.commonPool.execute(() => gate.await())
    try {
      assert(ready.await(20, TimeUnit.SECONDS))
      Thread.startVirtualThread { () => child.end(grace = 1.hour); ended.countDown() }
      assert(ended.await(20, TimeUnit.SECONDS), "it ended by itself, and was waited for all the same")
    } finally gate.countDown()
  }
}

package ammonite.course

import java.util.concurrent.{CountDownLatch, ForkJoinPool, TimeUnit}

import scala.collection.mutable

class FrontEndSuite extends munit.FunSuite {

  /** A process that waits until it is destroyed. */
  private def process(): Process = new ProcessBuilder("sleep", "600").start()

  private def toldAtOnce(pid: Option[String]): List[String] = {
    val told = mutable.ListBuffer.empty[String]
    FrontEnd.watch(pid)(told += _)
    told.toList
  }

  test("a front end that has already ended also ends the kernel, and is named") {
    val gone = process()
    gone.destroyForcibly().waitFor()
    assert(toldAtOnce(Some(gone.pid.toString)).mkString.contains(gone.pid.toString))
  }

  test("a living front end ends nothing; a number that went to a later process means that the front end is gone") {
    ProcessHandle.current.parent.ifPresent(parent => assertEquals(toldAtOnce(Some(parent.pid.toString)), Nil))
    val later = process()
    try assert(toldAtOnce(Some(later.pid.toString)).nonEmpty)
    finally { val _ = later.destroyForcibly() }
  }

  test("the end of a front end is noticed although tasks occupy the common pool") {
    val (gate, told) = (new CountDownLatch(1), new CountDownLatch(1))
    val jupyter = process()
    for (_ <- 1 to ForkJoinPool.getCommonPoolParallelism) ForkJoinPool.commonPool.execute(() => gate.await())
    try {
      FrontEnd.whenGone(jupyter.toHandle)(told.countDown())
      jupyter.destroyForcibly().waitFor()
      assert(told.await(20, TimeUnit.SECONDS))
    } finally gate.countDown()
  }

  test("a kernel that was started by hand has none") {
    assertEquals(toldAtOnce(None), Nil)
    assertEquals(toldAtOnce(Some("")), Nil)
  }
}

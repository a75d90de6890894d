package ammonite.course

import scala.collection.mutable

class FrontEndSuite extends munit.FunSuite {

  /** A process that waits until it is destroyed. */
  private def process(): Process = new ProcessBuilder("sleep", "600").start()

  private def toldAtOnce(pid: Option[String]): List[String] = {
    val told = mutable.ListBuffer.empty[String]
    FrontEnd.watch(pid)(told += _)
    told.toList
  }

  test("a front end that is gone already ends the kernel, and is named") {
    val gone = process()
    gone.destroyForcibly().waitFor()
    assert(toldAtOnce(Some(gone.pid.toString)).mkString.contains(gone.pid.toString))
  }

  test("one that lives ends nothing; a number that went to a later process is that of one that is gone") {
    ProcessHandle.current.parent.ifPresent(parent => assertEquals(toldAtOnce(Some(parent.pid.toString)), Nil))
    val later = process()
    try assert(toldAtOnce(Some(later.pid.toString)).nonEmpty)
    finally { val _ = later.destroyForcibly() }
  }

  test("a kernel that was started by hand has none") {
    assertEquals(toldAtOnce(None), Nil)
    assertEquals(toldAtOnce(Some("")), Nil)
  }
}

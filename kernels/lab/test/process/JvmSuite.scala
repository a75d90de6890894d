package lab.process

import java.nio.file.{Files, Path}

import lab.show.ProgressLine

class JvmSuite extends munit.FunSuite {
  private val folder = FunFixture[Path](_ => Files.createTempDirectory("archived"), Scratch.delete)

  folder.test("the second JVM of a kind finds the classes of the first in its archive") { folder =>
    def shared(): Int = {
      val tells = Jvm.archived(folder.resolve("program.jsa")) :+ "-Xlog:class+load"
      val said = Vector.newBuilder[String]
      val program = lab.forked.PoolReport.getClass.getName.stripSuffix("$")
      val command = (Jvm.java() +: (Jvm.brief ++ tells)) ++ Seq("-cp", Jvm.classPath(Jvm.own), program)
      assertEquals(Child.run(command, folder, ProgressLine.pause)(said += _, () => ()), 0)
      said.result().count(_.contains("source: shared objects file (top)"))
    }
    assertEquals(shared(), 0)
    val found = shared()
    assert(found > 0, s"$found classes from the archive")
  }

  test("on a disk without room a JVM keeps no archive, because it would end as if it had failed") {
    assume(Files.isDirectory(Path.of("/proc")), "needs a file system without room")
    assertEquals(Jvm.archived(Path.of("/proc/program.jsa")), Vector.empty)
  }
}

package lab.process

import java.nio.file.{Files, Path}

import lab.show.ProgressLine

import scala.jdk.CollectionConverters._
import scala.util.Using

class JvmSuite extends munit.FunSuite {
  private val folder = FunFixture[Path](_ => Files.createTempDirectory("archived"), Scratch.delete)
  private val program = lab.forked.PoolReport.getClass.getName.stripSuffix("$")

  /** Runs a program that keeps its classes in `folder`, and returns how many of them it found there. */
  private def found(folder: Path): Int = {
    val said = Vector.newBuilder[String]
    val options = Jvm.brief ++ Jvm.archived(folder, Jvm.own) :+ "-Xlog:class+load"
    val command = (Jvm.java() +: options) ++ Seq("-cp", Jvm.classPath(Jvm.own), program)
    assertEquals(Child.run(command, folder, ProgressLine.pause)(said += _, () => ()), 0)
    said.result().count(_.contains("source: shared objects file (top)"))
  }

  private def archive(folder: Path): Path = Using.resource(Files.list(folder))(_.iterator.asScala.toVector) match {
    case Vector(one) => one
    case other       => fail(s"one archive was expected, not $other")
  }

  folder.test("the second JVM of a kind finds the classes of the first in its archive") { folder =>
    assertEquals(found(folder), 0)
    val second = found(folder)
    assert(second > 0, s"$second classes from the archive")
  }

  folder.test("an archive that a killed JVM left is replaced: empty, cut short or without its header") { folder =>
    val _ = found(folder)
    val whole = Files.readAllBytes(archive(folder))
    Seq("empty" -> Array.emptyByteArray, "cut" -> whole.take(whole.length / 2), "no header" -> whole.patch(0, new Array[Byte](4096), 4096))
      .foreach { case (what, bytes) =>
        Files.write(archive(folder), bytes)
        assertEquals(found(folder), 0, what)
        assert(found(folder) > 0, what)
      }
  }

  folder.test("a JVM passes over an archive that is damaged inside") { folder =>
    val _ = found(folder)
    val whole = Files.readAllBytes(archive(folder))
    val quarter = whole.length / 4
    Files.write(archive(folder), whole.patch(2 * quarter, Array.fill(quarter)(7: Byte), quarter))
    assertEquals(found(folder), 0)
  }

  folder.test("an archive of other JARs is deleted, because a JVM wouldn't replace it") { folder =>
    val other = Files.createFile(folder.resolve("classes-00000000.jsa"))
    val _ = found(folder)
    assert(!Files.exists(other) && archive(folder) != other)
  }

  test("on a disk without room a JVM keeps no archive, because it would end as if it had failed") {
    assume(Files.isDirectory(Path.of("/proc")), "needs a file system without room")
    assertEquals(Jvm.archived(Path.of("/proc"), Jvm.own), Vector.empty)
  }
}

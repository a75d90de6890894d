package lab.installation

import java.io.ByteArrayOutputStream
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicReference

import lab.page.ClaimSuite
import lab.machine.{Machine, Settle}
import lab.process.Scratch

import scala.concurrent.duration._
import scala.util.{Failure, Success, Try}

class InstallationSuite extends munit.FunSuite {
  import InstallationSuite._

  private val course = FunFixture[Course](_ => new Course, _.close())

  course.test("a part that is there comes immediately, even while set-up runs") { course =>
    course.lists(s"""{"kotlin": ["${course.jar("kotlin-compiler")}"], "systems": {"play": ["${course.jar("play")}"]}}""")
    course.setUp(course.living.pid, "JARs for gatling: downloaded 12 of 74")
    val text = ClaimSuite.shown {
      assertEquals(course.installation.jars("kotlin").map(_.getFileName.toString), Vector("kotlin-compiler.jar"))
      assertEquals(course.installation.system("play").size, 1)
    }
    assertEquals(text, "", "nobody had to wait")
  }

  course.test("a cell waits for a part that set-up still brings, shows what set-up is doing, and takes the part when it comes") { course =>
    course.setUp(course.living.pid, "JARs for kotlin: downloaded 1 of 9")
    val asked = new Asked(course.installation.jars("kotlin").size)
    asked.says("this cell waits for the set-up's part `kotlin`", "JARs for kotlin: downloaded 1 of 9")
    course.setUp(course.living.pid, "JARs for kotlin: downloaded 8 of 9")
    asked.says("downloaded 8 of 9")
    course.lists(s"""{"kotlin": ["${course.jar("a")}", "${course.jar("b")}"]}""")
    assertEquals(asked.answer, Success(2))
    assert(asked.text.contains("`kotlin` is there"), asked.text)
  }

  course.test("each system comes by itself, and each compiler, too") { course =>
    course.lists(s"""{"systems": {"play": ["${course.jar("play")}"]}, "scalac": {"2.13.18": ["${course.jar("scala-library")}"]}}""")
    course.setUp(course.living.pid, "JARs for gatling")
    val gatling = new Asked(course.installation.system("gatling").size)
    val older = new Asked(course.installation.scalac("2.12").map(_.version))
    gatling.says("`gatling`")
    older.says("`scalac 2.12`")
    assertEquals(course.installation.scalac("2.13").map(_.library.map(_.getFileName.toString)), Some(Vector("scala-library.jar")))
    course.lists(s"""{"systems": {"gatling": []}, "scalac": {"2.12.20": []}}""")
    assertEquals((gatling.answer, older.answer), (Success(0), Success(Some("2.12.20"))))
  }

  course.test("the reader's interrupt ends the wait") { course =>
    course.setUp(course.living.pid, "JARs for kotlin")
    val asked = new Asked(course.installation.jars("kotlin"))
    asked.says("waits")
    asked.interrupt()
    assert(asked.answer.failed.toOption.exists(_.isInstanceOf[InterruptedException]), asked.answer)
  }

  course.test("if set-up dies, the wait ends with the part's name and the remedy") { course =>
    val process = course.living
    course.setUp(process.pid, "JARs for kotlin")
    val asked = new Asked(course.installation.jars("kotlin"))
    asked.says("waits")
    process.destroyForcibly().waitFor()
    assertEquals(
      asked.failure,
      "the set-up's part `kotlin` isn't there. Run `kernels/course setup`, which brings it; then run this cell again."
    )
  }

  course.test(
    "nobody is at it: no set-up, one that was killed, one that failed while its process lives on, and another process of its number"
  ) { course =>
    def failure = Try(course.installation.jars("jmh")).failed.get.getMessage
    assert(failure.startsWith("the set-up's part `jmh` isn't there. Run `kernels/course setup`"), failure)
    course.setUp(course.dead, "JARs for jmh")
    assert(failure.startsWith("the set-up's part `jmh` isn't there. Run"), failure)
    course.setUp(course.living.pid, "JARs for jmh", "no answer from the registry")
    assert(
      failure.contains("isn't there. The set-up's background part failed: no answer from the registry. Run `kernels/course setup`"),
      failure
    )
    assertEquals(course.installation.underWay, None)
    course.setUp(course.living.pid, "JARs for jmh", ago = 1.hour)
    assertEquals(course.installation.underWay, None, "that process began after the file was written")
  }

  course.test("without older JDKs there are none; a missing JAR and a broken list are named") { course =>
    assertEquals(course.installation.jdks, Map.empty[Int, Path])
    course.lists(s"""{"jdks": {"17": "${course.home}", "21": "${course.home}/nowhere"}}""")
    assertEquals(course.installation.jdks.keySet, Set(17))
    course.lists("""{"kotlin": ["/nowhere/kotlin.jar"]}""")
    assert(
      Try(course.installation.jars("kotlin")).failed.get.getMessage.startsWith("/nowhere/kotlin.jar is gone. Run `kernels/course setup`")
    )
    Seq("{", "", "[]", "{\"kotlin\": [\"a").foreach { torn =>
      course.lists(torn)
      val message = Try(course.installation.libraries).failed.get.getMessage
      assert(message.contains("installation.json can't be read: a JSON object was expected"), message)
      assert(message.contains("Run `kernels/course setup`"), message)
    }
  }

  course.test("the preflight says in its banner that set-up is running") { course =>
    def banner = course.asHome(ClaimSuite.shown { val _ = Machine.preflight() })
    assert(!banner.contains("set-up"), banner)
    course.setUp(course.living.pid, "older JDKs: 2 of 4")
    assert(banner.linesIterator.exists(_.matches(" *set-up +goes on in the background: older JDKs: 2 of 4")), banner)
    course.setUp(course.dead, "older JDKs: 2 of 4")
    assert(!banner.contains("set-up"), banner)
  }
}

object InstallationSuite {

  /** A course's folder, with the files that its set-up leaves there. */
  private final class Course {
    val home: Path = Files.createTempDirectory("course")
    val installation = new Installation(home)
    private val build = Files.createDirectory(home.resolve(".build"))
    private var processes = Vector.empty[Process]

    def living: Process = {
      val process = new ProcessBuilder("sleep", "600").start()
      processes :+= process
      process
    }

    def dead: Long = {
      val process = new ProcessBuilder("true").start()
      process.waitFor()
      process.pid
    }

    def jar(name: String): Path = Files.writeString(home.resolve(s"$name.jar"), "")
    def lists(json: String): Unit = write("installation.json", json)

    def setUp(process: Long, doing: String, failed: String = "", ago: FiniteDuration = Duration.Zero): Unit = {
      write("set-up.json", s"""{"process": $process, "doing": "$doing", "failed": "$failed"}""")
      val at = java.nio.file.attribute.FileTime.fromMillis(System.currentTimeMillis - ago.toMillis)
      val _ = Files.setLastModifiedTime(build.resolve("set-up.json"), at)
    }

    def asHome[A](body: => A): A = {
      val before = sys.props.get("course.home")
      sys.props("course.home") = home.toString
      try body
      finally before.fold { val _ = sys.props.remove("course.home") }(sys.props("course.home") = _)
    }

    def close(): Unit = {
      processes.foreach(_.destroyForcibly())
      Scratch.delete(home)
    }

    private def write(name: String, json: String): Unit = {
      val part = Files.writeString(build.resolve(s"$name.part"), json)
      val _ = Files.move(part, build.resolve(name), ATOMIC_MOVE)
    }
  }

  /** A cell that asks for something, on a separate thread. */
  private final class Asked[A](body: => A) {
    private val printed = new ByteArrayOutputStream
    private val outcome = new AtomicReference[Try[A]]
    private val thread = new Thread(
      () =>
        outcome.set(
          try Success(Console.withOut(printed)(body))
          catch { case thrown: Throwable => Failure(thrown) }
        ),
      "cell"
    )
    thread.setDaemon(true)
    thread.start()

    def text: String = printed.toString("UTF-8")
    def says(words: String*): Unit = {
      val seen = Settle(1, quiet = 20.seconds)(if (words.forall(text.contains(_))) 1 else 0)
      assert(seen == 1, s"it doesn't say ${words.mkString(" and ")}: $text ${outcome.get}")
    }
    def interrupt(): Unit = thread.interrupt()
    def answer: Try[A] = {
      thread.join(20000)
      Option(outcome.get).getOrElse(throw new AssertionError(s"no answer: $text"))
    }
    def failure: String = answer.failed.get.getMessage
  }
}

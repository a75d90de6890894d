package lab

import java.nio.file.Path

import lab.installation.{Artifact, DownloadedTools, Downloads}

import scala.util.Properties

/** Tests the lab outside the course, as far as that is possible here; `tests/kernel/test_library.py` tests a plain notebook. */
class LibrarySuite extends munit.FunSuite {
  private val own = Properties.versionNumberString
  private val artifact = Artifact("a-group", "1", Vector(own, "2.12.20"), Map("jmh" -> Vector("org.openjdk.jmh:jmh-core:1.37", "o:ecj:3")))

  /** Tools whose requests are recorded. */
  private final class Asked {
    var modules = Vector.empty[Seq[String]]
    Downloads.install { wanted =>
      modules :+= wanted
      wanted.map(module => Path.of("/cache", s"${module.split(':')(1)}.jar"))
    }
    val tools = new DownloadedTools(artifact, Path.of("/cache", "a-group", "lab"))
  }

  private def refused(body: => Any): String = intercept[IllegalStateException](body).getMessage

  override def afterEach(context: AfterEach): Unit = Downloads.close()

  test("a download is requested when a cell needs it, and only once") {
    val asked = new Asked
    assertEquals(asked.modules, Vector.empty)
    val jars = Seq.fill(2)(asked.tools.jars("jmh")).distinct
    assertEquals(jars, Seq(Vector(Path.of("/cache/jmh-core.jar"), Path.of("/cache/ecj.jar"))))
    assertEquals(asked.modules, Vector[Seq[String]](artifact.tools("jmh")))
    assertEquals(asked.tools.cache("jmh"), Path.of("/cache/a-group/lab/jmh"))
  }

  test("a full Scala version is used as it is; its beginning means the session's own or the one that the library names") {
    val asked = new Asked
    val found = Seq("2.13", "2.12", "2.13.3", own).map(asked.tools.scalac(_).map(_.version))
    assertEquals(found, Seq(own, "2.12.20", "2.13.3", own).map(Option(_)))
    assertEquals(asked.modules.flatten, Vector(own, "2.12.20", "2.13.3").map(version => s"org.scala-lang:scala-compiler:$version"))
    assertEquals(Seq("2.11", "3.3.6", "2.1", "new").flatMap(asked.tools.scalac(_)), Nil)
  }

  test("a part that only the course has says so") {
    val said = refused(new Asked().tools.jars("kotlin"))
    assert(Seq("`kotlin`", "outside it", "kernels/course lab").forall(said.contains(_)), said)
  }

  test("without the bindings, the error says how to load them") {
    val said = refused(new DownloadedTools(artifact, Path.of("/cache")).jars("jmh"))
    assert(said.contains("org.openjdk.jmh:jmh-core:1.37") && said.contains("repl.load(lab.Library.hooks)"), said)
  }

  test("the course's kernels need no bindings; a session that isn't Almond's has none") {
    assume(sys.props.contains("course.home"), "this is no kernel of the course")
    assertEquals(Library.hooks, "")
    assertEquals(Artifact.here, None)
    val said = refused(Library.hooksInto(getClass.getClassLoader))
    assert(said.contains("almond.api.JupyterApi isn't there") && said.contains("https://almond.sh"), said)
  }

  test("the cache is where the user has caches") {
    def folder(variables: (String, String)*): String = DownloadedTools.cacheFolder(variables.toMap.get, Path.of("/home/listed")).toString
    assertEquals(folder("XDG_CACHE_HOME" -> "/caches", "HOME" -> "/home/me"), "/caches")
    assertEquals(folder("XDG_CACHE_HOME" -> "not/absolute", "HOME" -> "/home/me").startsWith("/home/me/"), true)
    assertEquals(folder("XDG_CACHE_HOME" -> "").startsWith("/home/listed/"), true)
  }
}

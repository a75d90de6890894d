package lab

import java.nio.file.{Files, Path}
import java.util.jar.JarFile

import com.google.gson.JsonParser
import com.tngtech.archunit.ArchConfiguration
import com.tngtech.archunit.base.DescribedPredicate
import com.tngtech.archunit.core.domain.{JavaClass, JavaClasses}
import com.tngtech.archunit.core.importer.ClassFileImporter
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses

import scala.jdk.CollectionConverters._
import scala.util.Using

/** The house that `kernels/README.md` describes: each folder of the lab's sources is a room, whatever the package. A class belongs to the
  * file that it is written in, which its class file names.
  */
class RoomsSuite extends munit.FunSuite {
  import RoomsSuite._

  test("a file's name says where it is") {
    assertEquals(sources.groupBy(_.getFileName).filter(_._2.sizeIs > 1).values.toVector, Vector.empty)
    assert(classes.size > 300 && classes.asScala.forall(fileOf(_).nonEmpty), "every class comes from one of the files")
  }

  test("no circle of rooms")(noCircle(roomOf(_)))

  test("no circle of files")(noCircle(fileOf(_)))

  test("trace, load and machine know nothing of pages") {
    noClasses.that(in("trace", "load", "machine")).should.dependOnClassesThat(in("page", "magic", "exercises")).check(classes)
  }

  test("only exercises and programs have packages of their own: pages find all else in `lab`") {
    val packages = Map("exercises" -> "lab.exercises", "forked" -> "lab.forked", "magic/jmh" -> "lab.jmh")
    val others = classes.asScala.filterNot(one => packages.getOrElse(roomOf(one), "lab") == one.getPackageName)
    // What a cell of JMH's throws is named so in the trial of the kernels.
    assertEquals(others.map(_.getName).toSet, Set("lab.Jmh", "lab.Jmh$"))
  }

  test("pages use only the lab, the JDK, Scala, and the libraries that they load") {
    val wrong = for (page <- pages; cell <- page.cells; name <- foreign(page, cell)) yield s"${page.name}: $name"
    assertEquals(wrong, Vector.empty)
  }

  test("what a page may not use is found") {
    val page = Page("x", Vector("import $ivy.`io.netty:netty-codec-http:4.2.20.Final`", "%%program --name shop --with play"))
    def found(cell: String): Vector[String] = foreign(page, cell)
    assertEquals(found("import plotly.Bar\nimport scala.util.Try\nimport java.util.{List => Many}"), Vector("plotly.Bar"))
    assertEquals(found("import io.netty.channel._\nimport com.google.gson.JsonParser"), Vector("com.google.gson.JsonParser"))
    assertEquals(found("val x = lab.exercises.All\nval y = lab.jmh.Run\nammonite.repl.Repl"), Vector("lab.jmh", "ammonite.repl"))
    assertEquals(found("%%program --name shop --with play\nimport play.api.Mode\nimport io.gatling.core"), Vector("io.gatling.core"))
    assertEquals(found("%%program --name shop\nimport lab.{Holds, Signals}\nimport lab.WaitingRoom"), Vector.empty[String])
  }
}

object RoomsSuite extends munit.Assertions {
  private lazy val home = Installation.here("the house").home
  private lazy val folder = Installation.sources.get

  private lazy val sources: Vector[Path] =
    Using.resource(Files.walk(folder))(_.iterator.asScala.filter(_.toString.endsWith(".scala")).map(folder.relativize(_)).toVector.sorted)

  private lazy val rooms: Map[String, String] =
    sources.map(file => file.getFileName.toString -> Option(file.getParent).fold("")(_.toString)).toMap

  private lazy val classes: JavaClasses = {
    // What the lab is built on is no part of the house.
    ArchConfiguration.get.setResolveMissingDependenciesFromClassPath(false)
    Using.resource(new JarFile(Jvm.lab.toFile))(new ClassFileImporter().importJar(_))
  }

  private def fileOf(one: JavaClass): String = {
    val written = Option(one.getSource.orElse(null)).flatMap(source => Option(source.getFileName.orElse(null)))
    written.filter(rooms.contains).getOrElse("")
  }

  private def roomOf(one: JavaClass): String = rooms.getOrElse(fileOf(one), "")

  private def in(names: String*): DescribedPredicate[JavaClass] = DescribedPredicate.describe[JavaClass](
    s"are in ${names.mkString(", ")}",
    one => names.exists(name => roomOf(one) == name || roomOf(one).startsWith(s"$name/"))
  )

  private def noCircle(place: JavaClass => String): Unit = {
    val uses = for {
      one <- classes.asScala.toVector
      dependency <- one.getDirectDependenciesFromSelf.asScala
      (from, to) = (place(one), place(dependency.getTargetClass)) if from != to && from.nonEmpty && to.nonEmpty
    } yield (from, to) -> dependency.getDescription
    val why = uses.toMap
    assert(why.size > 20, "what uses what is known")
    val steps = WaitForGraph(why.keys.toVector.sorted).circle.toVector.flatMap(circle => circle.zip(circle.drop(1)))
    assertEquals(steps.map(step => s"${step._1} uses ${step._2}: ${why(step)}").mkString("\n"), "")
  }

  private final case class Page(name: String, cells: Vector[String]) {

    /** The groups of what the page imports with `import $ivy`. */
    def loaded: Vector[String] = cells.flatMap(Ivy.findAllMatchIn(_).map(_.group(1)))
  }
  private val Ivy = "import \\$ivy\\.`([^:`]+):".r

  private lazy val pages: Vector[Page] = {
    val files = Seq(home.resolve("notebooks"), home.resolve("notebooks").resolve("solutions")).flatMap { folder =>
      Using.resource(Files.list(folder))(_.iterator.asScala.filter(_.toString.endsWith(".ipynb")).toVector.sorted)
    }
    files.toVector.map { file =>
      val cells = JsonParser.parseString(Files.readString(file)).getAsJsonObject.getAsJsonArray("cells").asScala.map(_.getAsJsonObject)
      val code = cells.filter(_.get("cell_type").getAsString == "code").map(_.getAsJsonArray("source").asScala.map(_.getAsString).mkString)
      Page(file.getFileName.toString, code.toVector)
    }
  }

  /** What a cell imports or names in full that isn't for pages. */
  private def foreign(page: Page, cell: String): Vector[String] = {
    val tools = cell.takeWhile(_ != '\n') match {
      case line if line.startsWith("%%jmh")    => Vector("org.openjdk.jmh")
      case line if line.startsWith("%%kotlin") => Vector("kotlin", "kotlinx.coroutines")
      // A program has the lab on its class path, and its words only by name.
      case line if line.startsWith("%%program") => "lab" +: Systems.toVector.filter(system => line.contains(system._1)).flatMap(_._2)
      case _                                    => Vector.empty
    }
    val allowed = tools ++ page.loaded.flatMap { library =>
      Libraries
        .collectFirst { case (name, packages) if library.startsWith(name) => packages }
        .getOrElse(Seq(library.split('.').take(2).mkString(".")))
    }
    val imported = Import.findAllMatchIn(cell).map(_.group(1)).filterNot(_.startsWith("$ivy")).filterNot { name =>
      name.startsWith("scala.") || isOfJdk(name) || allowed.exists(root => s"$name.".startsWith(s"$root."))
    }
    imported.toVector ++ InFull.findAllIn(cell).filterNot(Set("lab.exercises", "lab.forked"))
  }
  private val Import = "(?m)^\\s*import ([\\w.$]+\\w)".r
  private val InFull = "(?<![\\w.\"/])(?:lab|ammonite|almond)\\.[a-z]\\w*".r

  /** Those whose packages aren't named after their group. */
  private val Libraries = Map(
    "org.apache.pekko" -> Seq("org.apache.pekko", "com.typesafe.config"),
    "org.jetbrains.kotlinx" -> Seq("kotlinx.coroutines", "kotlin"),
    "org.typelevel" -> Seq("cats")
  )
  private val Systems = Map(
    "play" -> Seq("play", "org.apache.pekko", "io.netty"),
    "gatling" -> Seq("io.gatling"),
    "webflux" -> Seq("org.springframework", "reactor", "org.reactivestreams", "io.netty"),
    "jdbc" -> Seq("com.zaxxer.hikari", "org.postgresql")
  )

  private lazy val jdkPackages = ModuleLayer.boot.modules.asScala.flatMap(_.getPackages.asScala).toSet
  private def isOfJdk(name: String): Boolean = name.split('.').inits.exists(part => jdkPackages(part.mkString(".")))
}

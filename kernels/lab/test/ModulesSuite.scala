package lab

import java.nio.file.{Files, Path}
import java.util.jar.JarFile

import com.google.gson.JsonParser
import com.tngtech.archunit.ArchConfiguration
import com.tngtech.archunit.core.domain.{JavaClass, JavaClasses}
import com.tngtech.archunit.core.importer.ClassFileImporter
import com.tngtech.archunit.library.Architectures.layeredArchitecture

import lab.installation.Installation
import lab.process.Jvm
import lab.trace.WaitForGraph

import scala.jdk.CollectionConverters._
import scala.util.Using

/** Checks the modules that `kernels/README.md` describes. Each folder of the lab's sources is a package. */
class ModulesSuite extends munit.FunSuite {
  import ModulesSuite._

  test("each module uses only modules above it") {
    val layers = modules.foldLeft(layeredArchitecture.consideringOnlyDependenciesInLayers) { (layers, module) =>
      layers.layer(module).definedBy(s"lab.$module..")
    }
    val ordered = modules.tails.filter(_.nonEmpty).foldLeft(layers) { (layers, tail) =>
      if (tail.sizeIs == 1) layers.whereLayer(tail.head).mayNotBeAccessedByAnyLayer
      else layers.whereLayer(tail.head).mayOnlyBeAccessedByLayers(tail.tail: _*)
    }
    ordered.check(classes)
  }

  test("the modules are the folders, in the order in which the README lists them") {
    assertEquals(sources.filter(_.getNameCount > 1).map(_.getName(0).toString).toSet, modules.toSet)
    val listed = "(?m)^\\| `(\\w+)` \\|".r.findAllMatchIn(Files.readString(home.resolve("kernels/README.md"))).map(_.group(1))
    assertEquals(listed.filter(modules.contains).toVector, modules)
  }

  test("a folder is a package") {
    val elsewhere = sources.filterNot { file =>
      val parts = "lab" +: Option(file.getParent).toVector.flatMap(_.iterator.asScala.map(_.toString))
      val pack = Files.readString(folder.resolve(file)).linesIterator.next()
      // Exercises are in folders by page, and in one package: pages write `exercises.NeverBlocks`.
      pack == s"package ${parts.mkString(".")}" || parts(1) == "exercises" && pack == "package lab.exercises"
    }
    assertEquals(elsewhere, Vector.empty)
  }

  test("no circle of files") {
    val uses = for {
      one <- classes.asScala.toVector
      dependency <- one.getDirectDependenciesFromSelf.asScala
      (from, to) = (fileOf(one), fileOf(dependency.getTargetClass)) if from != to && to.nonEmpty
    } yield (from, to) -> dependency.getDescription
    val why = uses.toMap
    assert(why.size > 200, "what uses what is known")
    val steps = WaitForGraph(why.keys.toVector.sorted).circle.toVector.flatMap(circle => circle.zip(circle.drop(1)))
    assertEquals(steps.map(step => s"${step._1} uses ${step._2}: ${why(step)}").mkString("\n"), "")
  }

  test("a cell finds fewer than 60 names of the lab, each used by two pages or named by the library's front page") {
    val exported = "(?m)^  (?:type|val) (\\w+) =".r.findAllMatchIn(Files.readString(folder.resolve("api.scala"))).map(_.group(1)).toSet
    assert(exported.size > 30 && exported.size < 60, exported.size)
    val frontPage = Files.readString(home.resolve("kernels/lab/front-page.txt"))
    def uses(text: String, name: String) = s"\\b$name\\b".r.findFirstIn(text).nonEmpty
    val unused = exported.filter(name => !uses(frontPage, name) && pages.count(_.cells.exists(uses(_, name))) < 2)
    assertEquals(unused, Set.empty[String])
  }

  test("pages use only the lab, the JDK, Scala, and the libraries that they load") {
    val wrong = for (page <- pages; cell <- page.cells; name <- foreign(page, cell)) yield s"${page.name}: $name"
    assertEquals(wrong, Vector.empty)
  }

  test("forbidden names on a page are found") {
    val page = Page("x", Vector("import $ivy.`io.netty:netty-codec-http:4.2.20.Final`", "%%program --name shop --with play"))
    def found(cell: String): Vector[String] = foreign(page, cell)
    assertEquals(found("import plotly.Bar\nimport scala.util.Try\nimport java.util.{List => Many}"), Vector("plotly.Bar"))
    assertEquals(found("import io.netty.channel._\nimport com.google.gson.JsonParser"), Vector("com.google.gson.JsonParser"))
    assertEquals(found("import lab.load.Naps\nval x = lab.forked.Napping\nammonite.repl.Repl"), Vector("ammonite.repl"))
    assertEquals(found("%%program --name shop --with play\nimport play.api.Mode\nimport io.gatling.core"), Vector("io.gatling.core"))
    assertEquals(found("def f(rush: Rush) = {\n  import rush.{core, most}\n}\nimport rash.core"), Vector("rash.core"))
    assertEquals(found("val rush = Rush()\nimport rush.core\nimport rash.core"), Vector("rash.core"))
    assertEquals(found("%%jmh --scala 3 --with ox\nimport org.openjdk.jmh.annotations.*\nimport ox.*\nimport zio.*"), Vector("zio"))
  }
}

object ModulesSuite {
  private val modules = Vector(
    "show",
    "installation",
    "process",
    "chart",
    "trace",
    "load",
    "machine",
    "measure",
    "results",
    "page",
    "capstone",
    "exercises",
    "forked",
    "magic"
  )

  private lazy val home = Installation.here("the sources").home
  private lazy val folder = Installation.sources.get

  private lazy val sources: Vector[Path] =
    Using.resource(Files.walk(folder))(_.iterator.asScala.filter(_.toString.endsWith(".scala")).map(folder.relativize(_)).toVector.sorted)

  private lazy val classes: JavaClasses = {
    // The libraries that the lab uses are not its modules.
    ArchConfiguration.get.setResolveMissingDependenciesFromClassPath(false)
    Using.resource(new JarFile(Jvm.lab.toFile))(new ClassFileImporter().importJar(_))
  }

  /** Returns the package and the file in which a class of the lab is written; empty for other classes. */
  private def fileOf(one: JavaClass): String =
    one.getSource.flatMap(_.getFileName).map(name => s"${one.getPackageName}/$name").orElse("")

  private final case class Page(name: String, cells: Vector[String]) {

    /** Returns the groups of the libraries that the page imports with `import $ivy`. */
    def loaded: Vector[String] = cells.flatMap(Ivy.findAllMatchIn(_).map(_.group(1)))

    /** Returns the systems of a program, by its first line, with those of the programs that it is compiled with. */
    def systems(line: String): Vector[String] = {
      val wished = line.split("--with ").drop(1).map(_.takeWhile(_ != ' ')).toVector.flatMap(_.split(','))
      val programs = cells.map(_.takeWhile(_ != '\n')).filter(other => wished.exists(name => other.startsWith(s"%%program --name $name ")))
      wished.filter(Systems.contains) ++ programs.flatMap(systems)
    }
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

  /** Returns the names that a cell imports or writes in full, but that aren't for pages. */
  private def foreign(page: Page, cell: String): Vector[String] = {
    val tools = cell.takeWhile(_ != '\n') match {
      case line if line.startsWith("%%jmh")     => "org.openjdk.jmh" +: page.systems(line).flatMap(Systems)
      case line if line.startsWith("%%kotlin")  => Vector("kotlin", "kotlinx.coroutines")
      case line if line.startsWith("%%program") => page.systems(line).flatMap(Systems)
      case _                                    => Vector.empty
    }
    val allowed = "lab" +: tools ++: page.loaded.flatMap { library =>
      Libraries
        .collectFirst { case (name, packages) if library.startsWith(name) => packages }
        .getOrElse(Seq(library.split('.').take(2).mkString(".")))
    }
    def isValue(name: String) = {
      val first = name.takeWhile(_ != '.')
      s"\\b$first(?:: | =>)|\\bval $first = ".r.findFirstIn(cell).nonEmpty
    }
    val imported = Import.findAllMatchIn(cell).map(_.group(1)).filterNot(_.startsWith("$ivy")).filterNot { name =>
      name.startsWith("scala.") || isOfJdk(name) || isValue(name) || allowed.exists(root => s"$name.".startsWith(s"$root."))
    }
    imported.toVector ++ InFull.findAllIn(cell)
  }
  private val Import = "(?m)^\\s*import ([\\w.$]+\\w)".r
  private val InFull = "(?<![\\w.\"/])(?:ammonite|almond)\\.[a-z]\\w*".r

  /** The libraries whose packages aren't named after their group. */
  private val Libraries = Map(
    "org.apache.pekko" -> Seq("org.apache.pekko", "com.typesafe.config"),
    "org.jetbrains.kotlinx" -> Seq("kotlinx.coroutines", "kotlin"),
    "org.typelevel" -> Seq("cats"),
    "dev.zio" -> Seq("zio"),
    "io.projectreactor" -> Seq("reactor")
  )
  private val Systems = Map(
    "play" -> Seq("play", "org.apache.pekko", "com.typesafe.config", "io.netty"),
    "gatling" -> Seq("io.gatling"),
    "runtimes" -> Seq("cats", "zio", "org.apache.pekko", "com.typesafe.config"),
    "ox" -> Seq("ox"),
    "webflux" -> Seq("org.springframework", "reactor", "org.reactivestreams", "io.netty", "org.slf4j", "ch.qos.logback"),
    "jdbc" -> Seq("com.zaxxer.hikari", "org.postgresql")
  )

  private lazy val jdkPackages = ModuleLayer.boot.modules.asScala.flatMap(_.getPackages.asScala).toSet
  private def isOfJdk(name: String): Boolean = name.split('.').inits.exists(part => jdkPackages(part.mkString(".")))
}

package lab.magic.kotlin

import java.nio.file.{Files, Path}

import lab.installation.Installation
import lab.magic.{CellCompiler, CellMagic, ClassFile, CompiledCell, MagicOptions, SessionClasses}
import lab.process.{Jvm, Scratch}

class KotlinSuite extends munit.FunSuite {

  CellMagic.register(Kotlin)
  private def options(line: String): KotlinOptions = KotlinOptions.parse(MagicOptions.words(line))
  private def refused(line: String): String = intercept[KotlinRefused](options(line)).getMessage

  test("a line is split into ours, the compiler's and its JVM's") {
    assertEquals(
      options("--name Coroutines -opt-in=a.B -J-Xmx400m -Werror"),
      KotlinOptions(Some("Coroutines"), Vector("-opt-in=a.B", "-Werror"), Vector("-Xmx400m"))
    )
    assertEquals(options("--name=Coroutines").name, Some("Coroutines"))
    assertEquals(options(""), KotlinOptions())
  }

  test("an invalid option is named, with the rule and with valid options") {
    assert(refused("--frob").contains("--frob") && refused("--frob").contains("--name"))
    assert(refused("Coroutines").contains("Coroutines is no option") && refused("Coroutines").contains("begins with -"))
    assert(refused("--name").contains("--name Coroutines"))
    assert(refused("--name -Werror").contains("--name needs a value"))
    Seq("coroutines", "1st", "A-b", "val").foreach(name => assert(refused(s"--name $name").contains(s"--name $name can't"), name))
    assert(refused("-d out").contains("-d can't be given here, the classes go into the session"))
    Seq("-cp x", "-classpath=x", "-class-path x").foreach(option => assert(refused(option).contains("import $ivy"), option))
  }

  test("a magic cell becomes Scala that finds its text, line numbers kept") {
    val Call = """_root_\.lab\.magic\.kotlin\.Kotlin\.compile\(_root_\.lab\.magic\.CellMagic\.take\((\d+)\)\)""".r
    CellMagic.translate("%%kotlin --name A\n\nfun f() = 1") match {
      case Some(Call(id)) => assertEquals(CellMagic.take(id.toInt).body, "\n\nfun f() = 1")
      case other          => fail(s"translated to $other")
    }
  }

  test("a cell gets a package on the options' line and is called after its name") {
    assertEquals(KotlinSource("\nfun f() = 1", None), KotlinSource(" package cell\nfun f() = 1", "Cell.kt", "cell.CellKt"))
    assertEquals(
      KotlinSource("\nfun f() = 1", Some("A")),
      KotlinSource("@file:JvmName(\"A\")  package cell\nfun f() = 1", "A.kt", "cell.A")
    )
    val own = "\n// package x\n/* package y\n */\npackage a.b\nclass C"
    assertEquals(KotlinSource(own, None), KotlinSource(own, "Cell.kt", "a.b.CellKt"))
  }

  test("file annotations stay before the package, and no line moves") {
    val body = "\n// @file:A\n@file:OptIn(B::class, C::class)\n@file:Suppress(\"x\")\nimport d.e\nfun f() = 1"
    val source = KotlinSource(body, Some("A"))
    assertEquals(source.text.linesIterator.toVector(3), "@file:Suppress(\"x\") package cell")
    assertEquals(source.text.linesIterator.toVector.drop(4), body.linesIterator.toVector.drop(4))
    assertEquals(source.text.linesIterator.size, body.linesIterator.size)
    assertEquals(KotlinSource("\n@file:JvmName(\"Own\")\nfun f() = 1", None).facade, "cell.Own")
    val both = intercept[KotlinRefused](KotlinSource("\n@file:JvmName(\"Own\")\nfun f() = 1", Some("A"))).getMessage
    assert(both.contains("--name A") && both.contains("Own") && both.contains("remove one of the two"), both)
  }

  test("the compiler's report reads in lines of the cell") {
    val said = Vector(
      "WARNING: A restricted method in java.lang.System has been called",
      "Picked up JAVA_TOOL_OPTIONS: -Xshare:auto",
      "",
      "A.kt:3:45: error: unresolved reference 'missing'.",
      "fun f() = missing",
      "          ^^^^^^^",
      "/tmp/x/A.kt:7:1: warning: cast is redundant.",
      "warning: flag is not supported by this version of the compiler: -Xfrob"
    )
    assertEquals(
      CellCompiler.report(said, "A.kt").filterNot(_.isBlank),
      Vector(
        "line 3: unresolved reference 'missing'.",
        "fun f() = missing",
        "          ^^^^^^^",
        "line 7: warning: cast is redundant.",
        "warning: flag is not supported by this version of the compiler: -Xfrob"
      )
    )
  }

  test("a compiler that lacks memory is told apart from a cell that doesn't compile, whatever its exit code") {
    def refusal(code: Int, said: String) = KotlinCompiler.refusal(Vector("-Xmx16m"))(code, Vector(said))
    Seq(
      "exception: java.lang.OutOfMemoryError: Java heap space",
      "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space"
    )
      .flatMap(said => Seq(1, 137).flatMap(refusal(_, said)))
      .foreach(told => assert(told.isInstanceOf[KotlinFailed] && told.getMessage.contains("-Xmx16m"), told))
    assert(refusal(1, "line 1: unresolved reference 'java.lang.OutOfMemoryError'").exists(_.isInstanceOf[KotlinRefused]))
  }

  test("for a statement outside a function, the error says where to put it") {
    def refusal(said: String*) = KotlinCompiler.refusal(Vector.empty)(1, said.toVector).fold("")(_.getMessage)
    val refused = refusal("line 2: syntax error: Expecting a top level declaration.", "println(1)", "^^^^^^^")
    assert(refused.linesIterator.toVector.last.contains("call it from a Scala cell"), refused)
    assertEquals(refusal("line 2: x", ""), "the Kotlin doesn't compile.\nline 2: x")
  }

  test("a dead compiler's output is kept, with a remedy") {
    def failure(code: Int, jvm: String*)(said: String*) =
      KotlinCompiler.refusal(jvm.toVector)(code, said.toVector).collect { case failed: KotlinFailed => failed.getMessage }.getOrElse("")
    val memory = failure(137, "-Xmx200m")("java.lang.OutOfMemoryError: Java heap space")
    assert(
      memory.contains("exit code 137") && memory.contains("heap space") && memory.contains("-Xmx200m") && memory.contains("-J-Xmx400m")
    )
    val long = failure(2)((1 to 100).map(n => s"word $n"): _*)
    assert(long.contains("word 30") && !long.contains("word 31\n") && long.contains("70 more lines"), long)
  }

  test("the library that the kernel runs with is the compiler's own") {
    assertEquals(KotlinCompiler.version(Installation.here("%%kotlin").jars("kotlin")), _root_.kotlin.KotlinVersion.CURRENT.toString)
  }

  test("the error says that the replaced cell has the missing name") {
    val folder = Files.createTempDirectory("kotlin-classes")
    try {
      val classes = Files.createDirectories(folder.resolve("classes").resolve("cell"))
      Files.write(classes.resolve("CellKt.class"), "…helper…".getBytes)
      val source = KotlinSource("\nfun f() = 1", None)
      def advice(name: String) = Kotlin.adviceOn(s"line 2: unresolved reference '$name'.", CompiledCell(folder, ""), source)
      assert(advice("helper").exists(words => words.startsWith("helper: ") && words.contains("cell.CellKt") && words.contains("--name")))
      assertEquals(advice("missing"), None)
    } finally Scratch.delete(folder)
  }

  private def classFile(of: Class[_]): ClassFile = {
    val in = of.getResourceAsStream(s"/${of.getName.replace('.', '/')}.class")
    try ClassFile(of.getName, in.readAllBytes())
    finally in.close()
  }

  test("superclasses and interfaces come before the classes that extend them") {
    val files =
      Vector[Class[_]](classOf[SuperLast.Top], classOf[SuperLast.Middle], classOf[SuperLast.Face], classOf[SuperLast.Base]).map(classFile)
    files.permutations.foreach { order =>
      val names = SessionClasses.supersFirst(order, getClass.getClassLoader).map(_._1.name.split('$').last)
      assertEquals(names.toSet, Set("Top", "Middle", "Face", "Base"))
      Seq("Base" -> "Middle", "Middle" -> "Top", "Face" -> "Top").foreach { case (first, second) =>
        assert(names.indexOf(first) < names.indexOf(second), names)
      }
    }
  }

  test("outside a kernel there is no session to add to") {
    assert(
      intercept[IllegalStateException](SessionClasses.define(Vector(classFile(classOf[SuperLast.Base])))).getMessage.contains("notebook")
    )
  }

  test("the session's imports are files that exist") {
    val jar = Jvm.jarOf(classOf[munit.FunSuite])
    val urls = Array(jar.toUri.toURL, Path.of("gone.jar").toUri.toURL)
    val thread = Thread.currentThread
    val before = thread.getContextClassLoader
    thread.setContextClassLoader(new java.net.URLClassLoader(urls, before))
    try assertEquals(SessionClasses.imported.headOption, Some(jar))
    finally thread.setContextClassLoader(before)
  }
}

object SuperLast {
  trait Face
  class Base
  class Middle extends Base
  class Top extends Middle with Face
}

package ammonite.course

import java.lang.module.ModuleFinder
import java.util.zip.ZipFile

import scala.jdk.CollectionConverters._
import scala.util.Using

class JdkClassesSuite extends munit.FunSuite {

  private lazy val there = {
    val storage = os.temp.dir()
    val before = sys.props("java.class.path")
    try JdkClasses.provide(storage)
    finally { val _ = sys.props.put("java.class.path", before) }
    Using.resource(new ZipFile((storage / s"jdk-${sys.props("java.version")}.jar").toIO))(_.entries.asScala.map(_.getName).toSet)
  }

  private def file(of: Class[_]): String = s"${of.getName.replace('.', '/')}.class"

  /** Every class of a package that a module exports to all. */
  private lazy val exported: Seq[Class[_]] =
    for {
      module <- ModuleFinder.ofSystem.findAll.asScala.toSeq
      packages = module.descriptor.exports.asScala.filterNot(_.isQualified).map(_.source)
      name <- Using.resource(module.open())(_.list.iterator.asScala.toList)
      if name.endsWith(".class") && packages(name.split('/').init.mkString("."))
    } yield Class.forName(name.stripSuffix(".class").replace('/', '.'), false, ClassLoader.getPlatformClassLoader)

  test("every exported class is there") {
    assert(exported.size > 5000, exported.size)
    assertEquals(exported.map(file).filterNot(there), Nil)
  }

  test("so is each class that a public one extends or permits, because the compiler asks for it") {
    val asked = exported.filter(of => java.lang.reflect.Modifier.isPublic(of.getModifiers)).flatMap { of =>
      Option(of.getSuperclass) ++ of.getInterfaces ++ Option(of.getPermittedSubclasses).toSeq.flatten
    }
    assertEquals(asked.map(file).distinct.filterNot(there), Nil)
  }

  test("no class is there that only the JDK itself uses, which would fill the compiler's index") {
    assertEquals(there.filter(_.startsWith("sun/nio/")), Set.empty[String])
    assert(there("com/sun/net/httpserver/HttpServer.class") && there("sun/misc/Unsafe.class"))
  }
}

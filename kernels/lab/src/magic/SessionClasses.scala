package lab.magic

import java.lang.reflect.Modifier
import java.net.{URI, URLClassLoader}
import java.nio.file.{Files, Path}

import scala.collection.mutable

/** A compiled class.
  *
  * @param name  the name that the JVM uses: `a.b.Outer\$Inner`
  * @param bytes the class file
  */
final case class ClassFile(name: String, bytes: Array[Byte])

/** Adds classes to the session that no Scala cell defines. Each kernel installs its own implementation. */
trait SessionClasses {

  /** Defines `classes` in the session as if a Scala cell had done so. From the next cell on, scalac sees them and they are loaded at run
    * time, instead of any classes with the same names. Code that was compiled against those keeps them.
    *
    * @param classes the classes, superclasses and interfaces before those that extend them; none if the session has them already
    * @param imports the names of classes that later cells see without an import
    */
  def define(classes: Seq[ClassFile], imports: Seq[String]): Unit
}

/** The session's access to compiled classes. Call it on the cell's own thread. */
object SessionClasses {
  @volatile private var installed: SessionClasses = (_, _) =>
    throw new IllegalStateException("classes can only be added to the session of a kernel: run this in a notebook")

  /** Installs the kernel's implementation. The kernel calls it once. */
  def install(kernel: SessionClasses): Unit = {
    installed = kernel
    newest = Map.empty
    kept = Set.empty
  }

  /** The newest classes of the session, by name. */
  private var newest = Map.empty[String, ClassFile]

  /** Those that a cell keeps when it runs again. They have no static fields, whose values would be kept too, and no class to which they may
    * be linked has been replaced.
    */
  private var kept = Set.empty[String]

  /** Defines `classes` in the session, in any order. Classes that aren't inner classes are visible without an import. A cell that runs again
    * keeps its classes if they are the same and have no state.
    *
    * @throws java.lang.LinkageError if one of them extends a class that isn't there
    */
  private[magic] def define(classes: Seq[ClassFile]): Seq[String] = {
    val names = classes.map(_.name)
    val imports = names.filterNot(_.contains('$')).sorted
    if (classes.forall(file => kept(file.name) && java.util.Arrays.equals(newest(file.name).bytes, file.bytes)))
      installed.define(Nil, imports)
    else {
      val (sorted, loaded) = supersFirst(classes, Thread.currentThread.getContextClassLoader).unzip
      installed.define(sorted, imports)
      if (names.exists(newest.contains)) kept = Set.empty
      newest ++= names.zip(classes)
      if (!loaded.exists(_.getDeclaredFields.exists(field => Modifier.isStatic(field.getModifiers)))) kept ++= names
    }
    imports
  }

  /** Returns what the session's class loaders got in addition to the kernel's own class path, by `import \$ivy` and from Almond's extra
    * class path.
    */
  private[magic] def imported: Vector[Path] = {
    val loaders = Iterator.iterate(Thread.currentThread.getContextClassLoader)(_.getParent).takeWhile(_ != null)
    val urls = loaders.collect { case loader: URLClassLoader => loader.getURLs.toVector }.flatten.filter(_.getProtocol == "file")
    val files = urls.map(url => Path.of(URI.create(url.toString))).toVector.distinct
    files.filter(file => Files.exists(file) && !file.toString.endsWith("-sources.jar"))
  }

  /** Returns the classes in an order in which superclasses come first, each with the class that a separate loader made of it for a trial.
    * A loader that already has a class returns that one. If not, it asks its parent, which may have an older class of the same name. So a
    * class must not be defined before those that the JVM looks up while it defines the class.
    */
  private[magic] def supersFirst(classes: Seq[ClassFile], parent: ClassLoader): Seq[(ClassFile, Class[_])] = {
    val trial = new Trial(classes.map(file => file.name -> file).toMap, parent)
    classes.foreach(file => trial.loadClass(file.name))
    trial.defined.toSeq
  }

  /** Defines each of `files` itself, and records the order in which the JVM finishes them. */
  private final class Trial(files: Map[String, ClassFile], parent: ClassLoader) extends ClassLoader(parent) {
    val defined = mutable.LinkedHashMap.empty[ClassFile, Class[_]]

    override def loadClass(name: String, resolve: Boolean): Class[_] = files.get(name) match {
      case None => super.loadClass(name, resolve)
      case Some(file) =>
        Option[Class[_]](findLoadedClass(name)).getOrElse {
          val found = defineClass(name, file.bytes, 0, file.bytes.length)
          defined += file -> found
          found
        }
    }
  }
}

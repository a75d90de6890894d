package lab.magic

import java.net.{URI, URLClassLoader}
import java.nio.file.{Files, Path}

import scala.collection.mutable

/** A compiled class.
  *
  * @param name  as the JVM writes it: `a.b.Outer\$Inner`
  * @param bytes its class file
  */
final case class ClassFile(name: String, bytes: Array[Byte])

/** The door through which classes that no Scala cell defines enter the session: each kernel installs its own. */
trait SessionClasses {

  /** Defines `classes` in the session as if a Scala cell had done so: from the next cell on they are seen by scalac and loaded at run time,
    * in place of any of the same name. What was compiled against those keeps them.
    *
    * @param classes superclasses and interfaces before those that extend them
    * @param imports names of classes that later cells see without an import
    */
  def define(classes: Seq[ClassFile], imports: Seq[String]): Unit
}

/** To be called on the cell's own thread. */
object SessionClasses {
  @volatile private var door: SessionClasses = (_, _) =>
    throw new IllegalStateException("classes can only be added to the session of a kernel: run this in a notebook")

  /** Called once by the kernel. */
  def install(kernel: SessionClasses): Unit = door = kernel

  /** Defines `classes` in the session, whatever their order; those that are no other's inner class are seen without an import.
    *
    * @throws java.lang.LinkageError if one of them extends what isn't there
    */
  private[magic] def define(classes: Seq[ClassFile]): Seq[String] = {
    val imports = classes.map(_.name).filterNot(_.contains('$')).sorted
    door.define(supersFirst(classes, Thread.currentThread.getContextClassLoader), imports)
    imports
  }

  /** What the session's class loaders got beside the kernel's own class path: by `import $ivy`, and Almond's extra class path. */
  private[magic] def imported: Vector[Path] = {
    val loaders = Iterator.iterate(Thread.currentThread.getContextClassLoader)(_.getParent).takeWhile(_ != null)
    val urls = loaders.collect { case loader: URLClassLoader => loader.getURLs.toVector }.flatten.filter(_.getProtocol == "file")
    val files = urls.map(url => Path.of(URI.create(url.toString))).toVector.distinct
    files.filter(file => Files.exists(file) && !file.toString.endsWith("-sources.jar"))
  }

  /** A loader that already has a class gives that one out; else it asks its parent, which may have an older one of the same name. So no
    * class may be defined before those that the JVM looks up while it defines it.
    */
  private[magic] def supersFirst(classes: Seq[ClassFile], parent: ClassLoader): Seq[ClassFile] = {
    val trial = new Trial(classes.map(file => file.name -> file).toMap, parent)
    classes.foreach(file => trial.loadClass(file.name))
    trial.defined.toSeq
  }

  /** Defines each of `files` itself, and notes in which order the JVM finishes them. */
  private final class Trial(files: Map[String, ClassFile], parent: ClassLoader) extends ClassLoader(parent) {
    val defined = mutable.LinkedHashSet.empty[ClassFile]

    override def loadClass(name: String, resolve: Boolean): Class[_] = files.get(name) match {
      case None => super.loadClass(name, resolve)
      case Some(file) =>
        Option[Class[_]](findLoadedClass(name)).getOrElse {
          val found = defineClass(name, file.bytes, 0, file.bytes.length)
          defined += file
          found
        }
    }
  }
}

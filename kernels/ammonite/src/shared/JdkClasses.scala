package ammonite.course

import java.io.{BufferedOutputStream, File}
import java.lang.module.{ModuleFinder, ModuleReference}
import java.util.zip.{Deflater, ZipEntry, ZipOutputStream}

import scala.jdk.CollectionConverters._
import scala.util.Using

/** Provides the JDK's classes as a JAR, because Ammonite's compiler reads them in that form. Writing it takes seconds.
  *
  * Ammonite would write such a JAR itself, but not if the storage is below the temporary directory (a clone in `/tmp`), and only a part of
  * one if it is killed while it copies. It doesn't write one if the class path already holds those classes.
  */
object JdkClasses {

  /** Makes the JAR in `storage` if it isn't there, and adds it to the class path that Ammonite reads. */
  def provide(storage: os.Path): Unit = {
    val version = sys.props("java.version")
    val jar = storage / s"jdk-$version.jar"
    if (!os.exists(jar)) {
      val unfinished = storage / s"${jar.last}.${ProcessHandle.current.pid}"
      try {
        write(unfinished)
        os.move(unfinished, jar, replaceExisting = true, atomicMove = true)
      } finally { val _ = os.remove(unfinished, checkExists = false) } // after a full disk
      val _ = os.remove(storage / s"rt-$version.jar", checkExists = false) // an older state of the course made it
    }
    val classPath = sys.props("java.class.path")
    if (!classPath.split(File.pathSeparator).contains(jar.toString)) {
      val _ = sys.props.put("java.class.path", s"$classPath${File.pathSeparator}$jar")
    }
  }

  private def write(jar: os.Path): Unit =
    Using.resource(new ZipOutputStream(new BufferedOutputStream(os.write.outputStream(jar, createFolders = true)))) { out =>
      out.setLevel(Deflater.BEST_SPEED)
      ModuleFinder.ofSystem.findAll.asScala.foreach { module =>
        val usable = isUsable(module)
        Using.resource(module.open()) { reader =>
          reader.list.iterator.asScala.filter(name => name.endsWith(".class") && usable(name)).foreach { name =>
            out.putNextEntry(new ZipEntry(name))
            Using.resource(reader.open(name).get)(_.transferTo(out))
          }
        }
      }
    }

  /** Returns whether a class may matter to a cell. Cells can't use a package that no module exports, and half of the JDK's classes are in
    * such packages. The compiler's index of them would take 4 MB. [[Internal]] has only some of them, because public classes extend or
    * permit classes of the others.
    */
  private def isUsable(module: ModuleReference): String => Boolean = {
    val exported = module.descriptor.exports.asScala.filterNot(_.isQualified).map(_.source.replace('.', '/'))
    name =>
      name.lastIndexOf('/') match {
        case -1  => false // module-info
        case end => exported(name.take(end)) || !Internal.exists(name.startsWith)
      }
  }

  private val Internal =
    Seq("com/sun/", "sun/awt/", "sun/font/", "sun/java2d/", "sun/nio/", "sun/security/", "sun/swing/", "sun/text/", "sun/util/")
}

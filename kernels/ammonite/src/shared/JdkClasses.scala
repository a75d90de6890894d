package ammonite.course

import java.io.File

import io.github.retronym.java9rtexport.Export

/** The JDK's classes as a JAR, which is how Ammonite's compiler wants to read them; writing it takes seconds.
  *
  * Ammonite keeps one itself, but not where the storage lies below the temporary directory (a clone in `/tmp`), and half of one when it is
  * killed while it copies. It looks for none where the class path already holds those classes.
  */
object JdkClasses {

  /** Makes the JAR in `storage` unless it is there, and adds it to the class path that Ammonite reads. */
  def provide(storage: os.Path): Unit = {
    val jar = storage / Export.rtJarName
    if (!os.exists(jar)) {
      val unfinished = storage / s"${Export.rtJarName}.${ProcessHandle.current.pid}"
      os.move.over(os.Path(Export.rt()), unfinished, createFolders = true)
      os.move(unfinished, jar, replaceExisting = true, atomicMove = true)
    }
    val classPath = sys.props("java.class.path")
    if (!classPath.split(File.pathSeparator).contains(jar.toString)) {
      val _ = sys.props.put("java.class.path", s"$classPath${File.pathSeparator}$jar")
    }
  }
}

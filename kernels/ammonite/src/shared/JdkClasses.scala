package ammonite.course

import java.io.File

import io.github.retronym.java9rtexport.Export

/** Provides the JDK's classes as a JAR, because Ammonite's compiler reads them in that form. Writing it takes seconds.
  *
  * Ammonite keeps such a JAR itself, but not if the storage is below the temporary directory (a clone in `/tmp`), and only a part of one if
  * it is killed while it copies. It doesn't look for a JAR if the class path already holds those classes.
  */
object JdkClasses {

  /** Makes the JAR in `storage` if it isn't there, and adds it to the class path that Ammonite reads. */
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

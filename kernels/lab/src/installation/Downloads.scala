package lab.installation

import java.nio.file.Path

/** The door through which JARs come in a notebook outside the course: its kernel resolves and keeps them, as it does for `import \$ivy`.
  * [[Library]] opens it. In the course's kernels set-up brings JARs, and nobody asks here.
  */
trait Downloads {

  /** The JARs of these modules, each as `group:artifact:version`, with all that they need. */
  def jars(modules: Seq[String]): Seq[Path]
}

/** Thread-safe. */
object Downloads {
  private val closed: Downloads = modules =>
    throw new IllegalStateException(
      s"nobody can bring ${modules.mkString(", ")}: the lab's doors aren't open in this session. " +
        "Run `repl.load(lab.Library.doors)` in a cell of its own, then this cell again."
    )

  @volatile private var door = closed

  /** Called once for a session. */
  def install(kernel: Downloads): Unit = door = kernel

  private[lab] def close(): Unit = door = closed

  private[installation] def jars(modules: Seq[String]): Seq[Path] = door.jars(modules)
}

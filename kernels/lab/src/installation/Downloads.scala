package lab.installation

import java.nio.file.Path

/** Downloads JARs for a notebook outside the course: its kernel resolves and keeps them, as it does for `import \$ivy`. [[Library]]
  * connects it. The course's kernels don't use it, because set-up brings their JARs.
  */
trait Downloads {

  /** Returns the JARs of these modules, each given as `group:artifact:version`, with all their dependencies. */
  def jars(modules: Seq[String]): Seq[Path]
}

/** Keeps the session's connection to its kernel. It is thread-safe. */
object Downloads {
  private val closed: Downloads = modules =>
    throw new IllegalStateException(
      s"${modules.mkString(", ")} can't be downloaded: the lab's front-end bindings aren't loaded in this session. " +
        "Run `repl.load(lab.Library.hooks)` in a separate cell, then this cell again."
    )

  @volatile private var installed = closed

  /** Connects the session to its kernel, once. */
  def install(kernel: Downloads): Unit = installed = kernel

  private[lab] def close(): Unit = installed = closed

  private[installation] def jars(modules: Seq[String]): Seq[Path] = installed.jars(modules)
}

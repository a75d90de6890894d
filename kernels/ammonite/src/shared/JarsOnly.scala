package ammonite.course

import ammonite.interp.Interpreter

/** Restricts `import $ivy` to JARs. Ammonite would also fetch the sources of every library, which set-up does not fetch and nobody reads
  * here.
  */
object JarsOnly {

  /** Applies to every import that `interpreter` resolves from now on. */
  def fetch(interpreter: Interpreter): Unit = {
    val _ = interpreter.resolutionHooks += { _.withClassifiers(java.util.Collections.emptySet[String]).withMainArtifacts(true) }
  }
}

package ammonite.course

import ammonite.interp.Interpreter

/** An `import $ivy` fetches JARs and nothing else. Ammonite would also fetch the sources of every library, which set-up does not bring and
  * nobody reads here.
  */
object JarsOnly {

  /** Holds for every import that `interpreter` resolves from now on. */
  def fetch(interpreter: Interpreter): Unit = {
    val _ = interpreter.resolutionHooks += { _.withClassifiers(java.util.Collections.emptySet[String]).withMainArtifacts(true) }
  }
}

package lab.magic.jmh

import java.io.PrintWriter

import lab.process.Program

/** Makes runnable JMH benchmarks of one Scala source file: scalac, JMH's generator, and ecj for the Java stubs that this writes. One JVM
  * for the three, since starting takes longer than working.
  *
  * Arguments: the source file, the class path, the output folder, a folder for the stubs. Exit code 2: scalac refused the source, 1: the
  * generator did, 3: ecj did. Everything is called by name, and of Scala's library only what 2.12 has too: this runs with the JARs of
  * whichever version is asked for.
  */
private[jmh] object BuildBenchmarks extends Program {

  def main(arguments: Array[String]): Unit = {
    val source = arguments(0)
    val classPath = arguments(1)
    val output = arguments(2)
    val stubs = arguments(3)
    val scalac = Array("-encoding", "UTF-8", "-deprecation", "-feature", "-classpath", classPath, "-d", output, source)
    if (call("scala.tools.nsc.Main", "process", scalac) != java.lang.Boolean.TRUE) System.exit(2)
    // Ends the JVM itself where it refuses something.
    call("org.openjdk.jmh.generators.bytecode.JmhBytecodeGenerator", "main", Array(output, stubs, output, "default"))
    val path = classPath + java.io.File.pathSeparator + output
    System.exit(if (compileStubs(Array("-11", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-cp", path, "-d", output, stubs))) 0 else 3)
  }

  private def call(owner: String, method: String, words: Array[String]): AnyRef =
    Class.forName(owner).getMethod(method, classOf[Array[String]]).invoke(null, words)

  private def compileStubs(words: Array[String]): Boolean = {
    val printer = new PrintWriter(System.out, true)
    val progress = Class.forName("org.eclipse.jdt.core.compiler.CompilationProgress")
    val method = Class
      .forName("org.eclipse.jdt.core.compiler.batch.BatchCompiler")
      .getMethod("compile", classOf[Array[String]], classOf[PrintWriter], classOf[PrintWriter], progress)
    method.invoke(null, words, printer, printer, null) == java.lang.Boolean.TRUE
  }
}

package lab.magic.jmh

import java.io.PrintWriter
import java.util.stream.Stream

import lab.process.Program

/** Builds runnable JMH benchmarks from one Scala source file, with scalac, JMH's generator, and ecj for the Java stubs that the generator
  * writes. All three run in one JVM, since starting a JVM takes longer than their work.
  *
  * Arguments: the source file, the class path, the output folder, a folder for the stubs. Exit code 2 means that scalac refused the source,
  * 1 that the generator did, 3 that ecj did. The program calls everything by name and uses only those parts of Scala's library that 2.12
  * has too, because it runs with the JARs of any version.
  */
private[jmh] object BuildBenchmarks extends Program {

  def main(arguments: Array[String]): Unit = {
    val source = arguments(0)
    val classPath = arguments(1)
    val output = arguments(2)
    val stubs = arguments(3)
    if (!compileScala(Array("-encoding", "UTF-8", "-deprecation", "-feature", "-classpath", classPath, "-d", output, source)))
      System.exit(2)
    // Ends the JVM itself if it refuses something.
    call("org.openjdk.jmh.generators.bytecode.JmhBytecodeGenerator", "main", Array(output, stubs, output, "default"))
    val path = classPath + java.io.File.pathSeparator + output
    System.exit(if (compileStubs(Array("-11", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-cp", path, "-d", output, stubs))) 0 else 3)
  }

  /** Calls the compiler that there is: Scala 3's answers with a report, Scala 2's with whether all went well. */
  private def compileScala(words: Array[String]): Boolean =
    try {
      val plain = Stream.concat(Stream.of("-color:never"), Stream.of(words: _*)).toArray(new Array[String](_))
      val report = call("dotty.tools.dotc.Main", "process", plain)
      report.getClass.getMethod("hasErrors").invoke(report) == java.lang.Boolean.FALSE
    } catch { case _: ClassNotFoundException => call("scala.tools.nsc.Main", "process", words) == java.lang.Boolean.TRUE }

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

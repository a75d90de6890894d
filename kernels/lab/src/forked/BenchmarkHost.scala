package lab.forked

import java.io.ObjectInputFilter

import lab.process.Program

/** JMH's own main program, which forks the JVMs that measure; its forks end with it, and it ends with the kernel.
  *
  * Arguments: the class path of the forks, a folder for temporary files, then JMH's own. Of its own JVM options JMH hands on those of the
  * command line, so what concerns only this process is set here.
  */
object BenchmarkHost extends Program {

  def main(arguments: Array[String]): Unit = {
    System.setProperty("java.class.path", arguments(0))
    System.setProperty("java.io.tmpdir", arguments(1))
    // One lock for the whole machine would let two notebooks fail; running both at once is the reader's choice.
    System.setProperty("jmh.ignoreLock", "true")
    ObjectInputFilter.Config.setSerialFilter(admitted)
    Class.forName("org.openjdk.jmh.Main").getMethod("main", classOf[Array[String]]).invoke(null, arguments.drop(2))
    ()
  }

  /** The classes that the forks send to this process. They send Java objects to a port of the loopback interface, where every user of the
    * machine can send some, too.
    */
  private[forked] val admitted: ObjectInputFilter = ObjectInputFilter.Config.createFilter("org.openjdk.jmh.**;java.base/*;!*")
}

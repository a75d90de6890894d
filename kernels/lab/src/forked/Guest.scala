package lab.forked

import java.lang.reflect.InvocationTargetException

import lab.Program

/** Runs another main class, named by its first argument, with the others; the JVM ends with the kernel at the latest. */
object Guest extends Program {
  def main(arguments: Array[String]): Unit = {
    KernelWatch.start()
    val main = Class.forName(arguments(0)).getMethod("main", classOf[Array[String]])
    try { val _ = main.invoke(null, arguments.drop(1)) }
    catch { case failed: InvocationTargetException => throw failed.getCause }
  }
}

package lab.process

import java.lang.reflect.InvocationTargetException

/** Runs another main class, named by its first argument, with the other arguments. The JVM ends with the kernel at the latest.
  *
  * It runs with whichever Scala library that class uses, so it uses nothing of that library itself.
  */
private[process] object Guest extends Program {
  def main(arguments: Array[String]): Unit = {
    KernelWatch.start()
    val main = Class.forName(arguments(0)).getMethod("main", classOf[Array[String]])
    try { val _ = main.invoke(null, java.util.Arrays.copyOfRange(arguments, 1, arguments.length)) }
    catch { case failed: InvocationTargetException => throw failed.getCause }
  }
}

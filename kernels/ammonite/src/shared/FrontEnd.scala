package ammonite.course

import java.time.Instant

import scala.jdk.OptionConverters._

/** Watches the process that started the kernel. If that process was killed, nobody is left to shut the kernel down. */
object FrontEnd {

  /** Calls `end` with the reason when that process has ended, and immediately if it has ended already.
    *
    * @param pid the id of Jupyter's process, which Jupyter passes to the kernels that it starts as JPY_PARENT_PID. It is none for a kernel
    *            that was started by hand; such a kernel goes on until it is shut down
    */
  def watch(pid: Option[String])(end: String => Unit): Unit = pid.filterNot(_ => isWindows).flatMap(_.toLongOption).foreach { number =>
    ProcessHandle.of(number).toScala.filterNot(startedAfterUs) match {
      case Some(process) => whenGone(process)(end(s"Jupyter's process $number has ended"))
      // A process that can't be seen has ended, or it runs in another PID namespace (the kernel has its own container). Jupyter itself only
      // causes the first, and a kernel that is left over would keep its memory forever, so the kernel ends. If you run kernels in
      // containers, you can unset the variable.
      case None => end(s"JPY_PARENT_PID names process $number, and there is none (unset it if that process can't be seen from here)")
    }
  }

  /** Calls `end` on a separate thread. `ProcessHandle.onExit` would in the long run check only every five seconds. It would also need a
    * thread of the common pool. A cell may occupy them all, and the kernel's end would occupy one.
    */
  private[course] def whenGone(process: ProcessHandle)(end: => Unit): Unit = {
    val watch: Runnable = () => {
      while (process.isAlive) Thread.sleep(pauseMillis)
      end
    }
    Thread.ofPlatform.daemon.name("front-end-watch").start(watch)
    ()
  }
  private val pauseMillis = 500L

  /** Returns whether this is Windows, where the variable holds a handle, with which Java can do nothing. */
  private def isWindows: Boolean = scala.util.Properties.isWin

  /** Returns whether `process` is younger than this one. Then the number of the process that started us was given to another. */
  private def startedAfterUs(process: ProcessHandle): Boolean = {
    def start(of: ProcessHandle): Option[Instant] = of.info.startInstant.toScala
    start(process).zip(start(ProcessHandle.current)).exists { case (theirs, ours) => theirs.isAfter(ours) }
  }
}

package ammonite.course

import java.time.Instant

import scala.jdk.OptionConverters._

/** The process that started the kernel: when it was killed, nobody is left to shut the kernel down. */
object FrontEnd {

  /** Calls `end` with the reason when that process is no more, at once if it is gone already.
    *
    * @param pid
    *   Jupyter names its own process to the kernels it starts, as JPY_PARENT_PID; none for a kernel that was started by hand, which goes on
    *   until it is shut down
    */
  def watch(pid: Option[String])(end: String => Unit): Unit = pid.filterNot(_ => isWindows).flatMap(_.toLongOption).foreach { number =>
    ProcessHandle.of(number).toScala.filterNot(startedAfterUs) match {
      case Some(process) => whenGone(process)(end(s"Jupyter's process $number has ended"))
      // A process that can't be seen has ended, or it lives in another PID namespace (a kernel in a container of its own). Only the first
      // is what Jupyter does by itself, and a kernel that is left over holds its memory for ever, so it ends; who wraps kernels in
      // containers can take the variable away.
      case None => end(s"JPY_PARENT_PID names process $number, and there is none (unset it if that process can't be seen from here)")
    }
  }

  /** Calls `end` on a thread of its own. `ProcessHandle.onExit` would look only every five seconds, and would need a thread of the common
    * pool: a cell may occupy them all, and the kernel's end would occupy one.
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

  /** There the variable holds a handle, which Java can do nothing with. */
  private def isWindows: Boolean = scala.util.Properties.isWin

  /** Then the number of the one that started us was given to another. */
  private def startedAfterUs(process: ProcessHandle): Boolean = {
    def start(of: ProcessHandle): Option[Instant] = of.info.startInstant.toScala
    start(process).zip(start(ProcessHandle.current)).exists { case (theirs, ours) => theirs.isAfter(ours) }
  }
}

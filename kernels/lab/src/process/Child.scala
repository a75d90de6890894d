package lab

import java.io.{BufferedReader, InputStreamReader}
import java.nio.file.Path
import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** A program that runs beside the cell and that never outlives the kernel: nor do the programs that it started itself.
  *
  * Its standard input stays open while it is followed, so that it can tell by its end that the kernel is gone.
  */
private[lab] final class Child private (process: Process) {
  def pid: Long = process.pid
  def isAlive: Boolean = process.isAlive

  /** Waits for its end. */
  def exit(): Int = process.waitFor()

  /** Ends the program and all below it, and waits until they are gone. An interrupt that arrives meanwhile is kept for later.
    *
    * @param grace how long it may take to end by itself when it is asked to; none: it isn't asked
    */
  def end(grace: FiniteDuration = Duration.Zero): Unit = Child.end(process, grace)
}

private[lab] object Child {

  /** Starts `command`. Both functions are called on a thread of its own.
    *
    * @param each what to do with each line of its output (both streams as one)
    * @param over what to do when there will be no more lines
    */
  def start(command: Seq[String], folder: Path)(each: String => Unit, over: () => Unit): Child = {
    val process = new ProcessBuilder(command.asJava).directory(folder.toFile).redirectErrorStream(true).start()
    val reader = new Thread(() => read(process, each, over), s"lines-of-${process.pid}")
    reader.setDaemon(true)
    reader.start()
    new Child(process)
  }

  /** Runs `command` to its end and returns its exit code. Both functions are called on the calling thread.
    *
    * @param each what to do with each line of its output (both streams as one)
    * @param idle what to do when `tick` went by without a line
    * @throws java.lang.InterruptedException if the cell is interrupted; the program and its children are dead then
    */
  def run(command: Seq[String], folder: Path, tick: FiniteDuration)(each: String => Unit, idle: () => Unit): Int = {
    val lines = new LinkedBlockingQueue[Option[String]]
    val child = start(command, folder)(line => lines.put(Some(line)), () => lines.put(None))
    try {
      var open = true
      while (open) lines.poll(tick.toNanos, TimeUnit.NANOSECONDS) match {
        case null       => idle()
        case Some(line) => each(line)
        case None       => open = false
      }
      child.exit()
    } finally child.end()
  }

  /** See [[Child.end]]. */
  def end(process: Process, grace: FiniteDuration = Duration.Zero): Unit = {
    val interrupted = Thread.interrupted()
    val all = process.descendants.iterator.asScala.toVector :+ process.toHandle
    if (grace > Duration.Zero && process.isAlive) {
      process.destroy()
      await(process.toHandle, grace)
    }
    all.foreach(_.destroyForcibly())
    all.foreach(handle => if (handle.isAlive) await(handle, 5.seconds))
    process.getOutputStream.close()
    if (interrupted) Thread.currentThread.interrupt()
  }

  private def read(process: Process, each: String => Unit, over: () => Unit): Unit = {
    val output = new BufferedReader(new InputStreamReader(process.getInputStream))
    try Iterator.continually(output.readLine()).takeWhile(_ != null).foreach(each)
    catch { case _: java.io.IOException => () } // its end by force
    finally over()
  }

  private def await(handle: ProcessHandle, limit: FiniteDuration): Unit = {
    handle.onExit.orTimeout(limit.toNanos, TimeUnit.NANOSECONDS).exceptionally(_ => handle).join()
    ()
  }
}

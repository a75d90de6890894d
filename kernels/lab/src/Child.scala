package lab

import java.io.{BufferedReader, InputStreamReader}
import java.nio.file.Path
import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** A program that runs beside the cell, heard line by line, and that never outlives it: nor do the programs that it started itself.
  *
  * Its standard input stays open while the cell follows it, so that it can tell by its end that the kernel is gone.
  */
private[lab] object Child {

  /** Runs `command` to its end and returns its exit code. Both functions are called on the calling thread.
    *
    * @param each what to do with each line of its output (both streams as one)
    * @param idle what to do when `tick` went by without a line
    * @throws java.lang.InterruptedException if the cell is interrupted; the program and its children are dead then
    */
  def run(command: Seq[String], folder: Path, tick: FiniteDuration)(each: String => Unit, idle: () => Unit): Int = {
    val process = new ProcessBuilder(command.asJava).directory(folder.toFile).redirectErrorStream(true).start()
    try {
      val lines = new LinkedBlockingQueue[Option[String]]
      val reader = new Thread(() => read(process, lines), s"lines-of-${process.pid}")
      reader.setDaemon(true)
      reader.start()
      var open = true
      while (open) lines.poll(tick.toNanos, TimeUnit.NANOSECONDS) match {
        case null       => idle()
        case Some(line) => each(line)
        case None       => open = false
      }
      process.waitFor()
    } finally kill(process)
  }

  private def read(process: Process, lines: LinkedBlockingQueue[Option[String]]): Unit = {
    val output = new BufferedReader(new InputStreamReader(process.getInputStream))
    try Iterator.continually(output.readLine()).takeWhile(_ != null).foreach(line => lines.put(Some(line)))
    catch { case _: java.io.IOException => () } // its end by force
    finally lines.put(None)
  }

  /** Ends the program and all below it, and waits until they are gone. An interrupt that arrives meanwhile is kept for later. */
  private def kill(process: Process): Unit = {
    val all = process.descendants.iterator.asScala.toVector :+ process.toHandle
    all.foreach(_.destroyForcibly())
    val interrupted = Thread.interrupted()
    all.foreach(handle => if (handle.isAlive) handle.onExit.orTimeout(5, TimeUnit.SECONDS).exceptionally(_ => handle).join())
    process.getOutputStream.close()
    if (interrupted) Thread.currentThread.interrupt()
  }
}

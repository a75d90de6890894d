package lab.process

import java.io.{BufferedReader, InputStream, InputStreamReader}
import java.nio.file.Path
import java.util.concurrent.locks.LockSupport
import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** A program that runs next to the cell and never outlives the kernel. The programs that it started itself don't outlive the kernel either.
  *
  * Its standard input stays open while it is followed, so the program can tell from the input's end that the kernel is gone.
  */
private[lab] final class Child private (process: Process) {
  def pid: Long = process.pid
  def isAlive: Boolean = process.isAlive

  /** Waits for the program's end and returns its exit code. */
  def exit(): Int = process.waitFor()

  /** Ends the program and all below it, and waits until they are gone. An interrupt that arrives meanwhile is kept for later.
    *
    * @param grace how long the program may take to end by itself when asked to; if zero, it isn't asked
    */
  def end(grace: FiniteDuration = Duration.Zero): Unit = Child.end(process, grace)
}

private[lab] object Child {

  /** Starts `command`. Both functions are called on a separate thread.
    *
    * @param environment variables that are added to this JVM's own
    * @param each        gets each line of the program's output (both streams as one)
    * @param over        is called when there will be no more lines, with the reason if the output was not read to its end; then the program
    *                    is ended
    */
  def start(command: Seq[String], folder: Path, environment: Map[String, String] = Map.empty)(
      each: String => Unit,
      over: Option[Throwable] => Unit
  ): Child = start(command, folder, environment, identity)(each, over)

  private def start(command: Seq[String], folder: Path, environment: Map[String, String], within: InputStream => InputStream)(
      each: String => Unit,
      over: Option[Throwable] => Unit
  ): Child = {
    val builder = new ProcessBuilder(command.asJava).directory(folder.toFile).redirectErrorStream(true)
    builder.environment.putAll(environment.asJava)
    val process = builder.start()
    val output = new BufferedReader(new InputStreamReader(within(process.getInputStream)))
    follow(process)(() => Iterator.continually(output.readLine()).takeWhile(_ != null).foreach(each))(over)
    new Child(process)
  }

  /** Runs `command` to its end and returns its exit code. Both functions are called on the calling thread.
    *
    * @param each gets each line of the program's output (both streams as one)
    * @param idle is called when `tick` passed without a line
    * @throws java.io.IOException if the output can't be read to the end, or takes more than 64 MiB of memory; the program is dead then
    * @throws java.lang.InterruptedException if the cell is interrupted; the program and its children are dead then
    */
  def run(command: Seq[String], folder: Path, tick: FiniteDuration)(each: String => Unit, idle: () => Unit): Int = {
    val lines = new LinkedBlockingQueue[Either[Option[Throwable], String]]
    val child = start(command, folder, Map.empty[String, String], new Bounded(_, Bounded.ofATool))(
      line => lines.put(Right(line)),
      why => lines.put(Left(why))
    )
    try {
      var open = true
      while (open) lines.poll(tick.toNanos, TimeUnit.NANOSECONDS) match {
        case null            => idle()
        case Right(line)     => each(line)
        case Left(None)      => open = false
        case Left(Some(why)) => throw Bounded.cutOff(why)
      }
      child.exit()
    } finally child.end()
  }

  /** Ends a process; see [[Child.end]]. */
  def end(process: Process, grace: FiniteDuration = Duration.Zero): Unit = {
    val interrupted = Thread.interrupted()
    val all = process.descendants.iterator.asScala.toVector :+ process.toHandle
    if (grace > Duration.Zero && process.isAlive) {
      process.toHandle.destroy() // `process.destroy` would also close its output, which is still being read
      await(process.toHandle, grace)
    }
    all.foreach(_.destroyForcibly())
    all.foreach(handle => if (handle.isAlive) await(handle, 5.seconds))
    process.getOutputStream.close()
    if (interrupted) Thread.currentThread.interrupt()
  }

  /** Calls `read` on a separate thread, then `over` with what it threw. If reading fails, the program is ended, because nobody reads its
    * output any more.
    */
  def follow(process: Process)(read: () => Unit)(over: Option[Throwable] => Unit): Unit = {
    def followed(): Unit = over(
      try { read(); None }
      catch { case why: Throwable => val _ = process.toHandle.destroyForcibly(); Some(why) }
    )
    val reader = new Thread(() => followed(), s"lines-of-${process.pid}")
    reader.setDaemon(true)
    reader.start()
  }

  /** Describes how a program ended: "exit code 1", and the signal if it was killed. */
  def ended(code: Int): String =
    if (wasKilled(code)) s"exit code $code (killed by signal ${code - 128}; the system does that too, when memory runs out)"
    else s"exit code $code"

  /** Returns whether a signal killed the program. A shell, and Java, add the signal's number to 128. */
  def wasKilled(code: Int): Boolean = code > 128 && code <= 128 + 64

  /** Waits until the process is gone, but at most for `limit`. `ProcessHandle.onExit` would need a thread of the common pool, and a cell
    * may occupy them all.
    */
  private def await(handle: ProcessHandle, limit: FiniteDuration): Unit = {
    val deadline = System.nanoTime + limit.toNanos
    while (handle.isAlive && System.nanoTime < deadline) LockSupport.parkNanos(pause.toNanos)
  }
  private val pause = 10.millis
}

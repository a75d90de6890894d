package ammonite.course

/** Knows whether a cell runs and on which thread, so that an interrupt reaches the cell and nothing else. */
final class RunningCell {
  private var thread = Option.empty[Thread]
  private var runs = 0L
  private var interruptPending = false

  def run[A](body: => A): A = {
    synchronized {
      thread = Some(Thread.currentThread)
      runs += 1
      interruptPending = false
    }
    try body
    finally
      synchronized {
        thread = None
        // Under the same lock as interrupt(), so that no flag is left to disturb the loop's sockets.
        val _ = Thread.interrupted()
      }
  }

  /** Interrupts the cell's thread. Returns `None` if no cell runs, and otherwise a check whether that very cell still runs. */
  def interrupt(): Option[() => Boolean] = synchronized {
    thread.map { running =>
      val interruptedRun = runs
      interruptPending = true
      running.interrupt()
      () => synchronized(thread.nonEmpty && runs == interruptedRun)
    }
  }

  def stackTrace: Array[StackTraceElement] = synchronized(thread).fold(Array.empty[StackTraceElement])(_.getStackTrace)

  /** Stops an interrupted cell where it writes. A loop that prints has no other point at which it could notice the interrupt.
    *
    * @throws InterruptedException once per interrupt, on the cell's own thread only
    */
  def stopIfInterrupted(): Unit = {
    val stop = synchronized {
      val mine = interruptPending && thread.contains(Thread.currentThread)
      if (mine) {
        interruptPending = false
        val _ = Thread.interrupted()
      }
      mine
    }
    if (stop) throw new InterruptedException
  }
}

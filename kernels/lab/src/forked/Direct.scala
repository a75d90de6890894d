package lab.forked

import scala.concurrent.ExecutionContext

/** Runs each task at once, on the thread that hands it over. */
private[forked] object Direct extends ExecutionContext {
  def execute(task: Runnable): Unit = task.run()
  def reportFailure(cause: Throwable): Unit = cause.printStackTrace()
}

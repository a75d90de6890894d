package lab.forked

import scala.concurrent.ExecutionContext

/** Runs each task immediately, on the thread that submits it. */
private[forked] object Direct extends ExecutionContext {
  def execute(task: Runnable): Unit = task.run()
  def reportFailure(cause: Throwable): Unit = cause.printStackTrace()
}

package lab.benchmark

import java.util.concurrent.{CountDownLatch, TimeUnit}

import lab.trace.Trace
import org.openjdk.jmh.annotations._

import scala.concurrent.ExecutionContext

/** Measures what recording adds to a task. The same 10,000 empty tasks are submitted to a plain context and to a traced one. Each round has
  * a new trace, so that none is ever full, because a full trace records nothing and would look cheap. `direct` runs each task immediately
  * on the calling thread, so that only the recording differs. `global` is the pool that pages use, with its hand-off between threads.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(10000)
class TraceCost {
  private val tasks = 10000
  private val direct = new ExecutionContext {
    def execute(task: Runnable): Unit = task.run()
    def reportFailure(cause: Throwable): Unit = throw cause
  }

  @Benchmark def directBare(): Unit = round(direct)
  @Benchmark def directTraced(): Trace = traced(direct)
  @Benchmark def globalBare(): Unit = round(ExecutionContext.global)
  @Benchmark def globalTraced(): Trace = traced(ExecutionContext.global)

  /** Submits all tasks and waits for the last. */
  private def round(context: ExecutionContext): Unit = {
    val done = new CountDownLatch(tasks)
    val task: Runnable = () => done.countDown()
    var handed = 0
    while (handed < tasks) {
      context.execute(task)
      handed += 1
    }
    if (!done.await(1, TimeUnit.MINUTES)) throw new IllegalStateException(s"${done.getCount} tasks never ran")
  }

  private def traced(context: ExecutionContext): Trace = {
    val trace = Trace()
    round(trace.context(context))
    if (trace.dropped > 0) throw new IllegalStateException(s"${trace.dropped} tasks were not recorded")
    trace
  }
}

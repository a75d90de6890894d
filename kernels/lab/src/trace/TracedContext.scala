package lab.trace

import java.util.concurrent.{Callable, ExecutorService, Future => JavaFuture, TimeUnit}
import java.util.{Collection => JavaCollection, List => JavaList}

import scala.concurrent.{ExecutionContext, ExecutionContextExecutor}
import scala.jdk.CollectionConverters._

/** An `ExecutionContext` whose tasks a [[Trace]] records. [[Trace.context]] makes it. */
final class TracedContext private[lab] (record: (Runnable, String) => Runnable, underlying: ExecutionContext, label: String)
    extends ExecutionContextExecutor {

  /** Returns the same context with the same trace; tasks submitted through it have the label `label`. */
  def as(label: String): TracedContext = new TracedContext(record, underlying, label)

  def execute(task: Runnable): Unit = Traced.handedOver(record(task, label))(underlying.execute(_))

  def reportFailure(cause: Throwable): Unit = underlying.reportFailure(cause)

  override def toString: String = Traced.describe(label, underlying)
}

/** An `ExecutorService` whose tasks a [[Trace]] records. [[Trace.service]] makes it, and it is shut down with the wrapped service. */
final class TracedService private[lab] (record: (Runnable, String) => Runnable, underlying: ExecutorService, label: String)
    extends ExecutorService {

  /** Returns the same service with the same trace; tasks submitted through it have the label `label`. */
  def as(label: String): TracedService = new TracedService(record, underlying, label)

  def execute(task: Runnable): Unit = Traced.handedOver(record(task, label))(underlying.execute(_))
  def submit(task: Runnable): JavaFuture[_] = Traced.handedOver[JavaFuture[_]](record(task, label))(recorded => underlying.submit(recorded))
  def submit[T](task: Runnable, result: T): JavaFuture[T] = Traced.handedOver(record(task, label))(underlying.submit(_, result))
  def submit[T](task: Callable[T]): JavaFuture[T] = {
    val call = traced(task)
    Traced.handedOver(call.record)(_ => underlying.submit(call))
  }

  def invokeAll[T](tasks: JavaCollection[_ <: Callable[T]]): JavaList[JavaFuture[T]] = underlying.invokeAll(allTraced(tasks))
  def invokeAll[T](tasks: JavaCollection[_ <: Callable[T]], limit: Long, unit: TimeUnit): JavaList[JavaFuture[T]] =
    underlying.invokeAll(allTraced(tasks), limit, unit)
  def invokeAny[T](tasks: JavaCollection[_ <: Callable[T]]): T = underlying.invokeAny(allTraced(tasks))
  def invokeAny[T](tasks: JavaCollection[_ <: Callable[T]], limit: Long, unit: TimeUnit): T =
    underlying.invokeAny(allTraced(tasks), limit, unit)

  def shutdown(): Unit = underlying.shutdown()
  def shutdownNow(): JavaList[Runnable] = underlying.shutdownNow()
  def isShutdown: Boolean = underlying.isShutdown
  def isTerminated: Boolean = underlying.isTerminated
  def awaitTermination(limit: Long, unit: TimeUnit): Boolean = underlying.awaitTermination(limit, unit)
  override def close(): Unit = underlying.close()

  override def toString: String = Traced.describe(label, underlying)

  private def traced[T](task: Callable[T]): Traced.Call[T] = new Traced.Call(task, record(_, label))

  private def allTraced[T](tasks: JavaCollection[_ <: Callable[T]]): JavaList[Callable[T]] =
    tasks.asScala.map(task => traced[T](task): Callable[T]).toSeq.asJava
}

private object Traced {

  def describe(label: String, underlying: Any): String =
    s"${underlying.getClass.getName.split('.').last}, traced${if (label.isEmpty) "" else s" as `$label`"}"

  /** Marks a task as rejected if its executor refuses it. Without this, it would look as if the task waited forever. */
  def handedOver[T](recorded: Runnable)(submit: Runnable => T): T =
    try submit(recorded)
    catch {
      case refused: Throwable =>
        recorded match {
          case record: TaskRecord => record.rejected(refused)
          case _                  => ()
        }
        throw refused
    }

  /** A `Callable` that runs through a record. The record knows only `Runnable`, so the result is returned in a field, which only the one
    * thread that runs both uses.
    */
  final class Call[T](task: Callable[T], wrap: Runnable => Runnable) extends Callable[T] {
    private var result = Option.empty[T]
    val record: Runnable = wrap(() => result = Some(task.call()))

    def call(): T = {
      record.run()
      result.getOrElse(throw new IllegalStateException("a traced task ended without result or exception"))
    }
  }
}

package lab.trace

import java.util.concurrent.{Callable, ExecutorService, Future => JavaFuture, TimeUnit}
import java.util.{Collection => JavaCollection, List => JavaList}

import scala.concurrent.{ExecutionContext, ExecutionContextExecutor}
import scala.jdk.CollectionConverters._

/** An `ExecutionContext` whose tasks a [[Trace]] records. Made by [[Trace.context]]. */
final class TracedContext private[lab] (record: (Runnable, String) => Runnable, underlying: ExecutionContext, label: String)
    extends ExecutionContextExecutor {

  /** The same context and the same trace; tasks submitted through it carry `label`. */
  def as(label: String): TracedContext = new TracedContext(record, underlying, label)

  def execute(task: Runnable): Unit = Traced.handedOver(record(task, label))(underlying.execute(_))

  def reportFailure(cause: Throwable): Unit = underlying.reportFailure(cause)

  override def toString: String = Traced.describe(label, underlying)
}

/** An `ExecutorService` whose tasks a [[Trace]] records. Made by [[Trace.service]]; its life is the wrapped service's life. */
final class TracedService private[lab] (record: (Runnable, String) => Runnable, underlying: ExecutorService, label: String)
    extends ExecutorService {

  /** The same service and the same trace; tasks submitted through it carry `label`. */
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

  /** What an executor refuses never runs; without this it would look as if it waited forever. */
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

  /** A `Callable` run through a record: the record knows only `Runnable`, so the result comes back through a field of the one thread that
    * runs both.
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

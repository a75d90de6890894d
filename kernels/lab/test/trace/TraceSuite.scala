package lab.trace

import java.util.concurrent.{Callable, CountDownLatch, Executors, ForkJoinPool, RejectedExecutionException, TimeoutException, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger, AtomicReference}

import scala.concurrent.duration._
import scala.concurrent.{blocking, Await, BlockContext, Batchable, CanAwait, ExecutionContext, ExecutionContextExecutor, Future}
import scala.jdk.CollectionConverters._
import scala.util.Using

class TraceSuite extends munit.FunSuite {
  private val limit = 20.seconds

  /** Waits without munit's `assert`, which holds a lock of the suite while its argument is computed, so that only one thread at a time may
    * wait in it.
    */
  private def reach(latch: CountDownLatch): Unit = require(latch.await(limit.toSeconds, TimeUnit.SECONDS), "a task never got there")

  private def task(body: => Unit): Runnable = () => body

  test("one span for each task, with label, submitter, thread and an order of times") {
    val trace = Trace()
    Using.resource(Executors.newSingleThreadExecutor(new Thread(_, "worker"))) { pool =>
      val traced = trace.context(ExecutionContext.fromExecutor(pool))
      Await.result(Future(1)(traced.as("first")).map(_ + 1)(traced), limit)
      trace.await(limit)
    }
    assertEquals(trace.spans.map(_.label), Vector("first", "task 2"))
    assertEquals(trace.spans.head.submitter, Thread.currentThread.getName)
    assertEquals(trace.spans.flatMap(_.thread).distinct, Vector("worker"))
    for (span <- trace.spans) {
      assert(span.startedNanos.exists(_ >= span.submittedNanos), span)
      assert(span.endedNanos.exists(end => span.startedNanos.exists(_ <= end)), span)
      assertEquals(span.failure, None)
    }
  }

  test("tasks count as simultaneous if they ran at the same moment, on any number of threads") {
    val (trace, both) = (Trace(), new CountDownLatch(2))
    assertEquals(trace.concurrent, 0)
    Using.resource(Executors.newCachedThreadPool()) { pool =>
      val traced = trace.context(ExecutionContext.fromExecutor(pool))
      for (_ <- 1 to 3) { traced.execute(task(())); trace.await(limit) }
      assertEquals(trace.concurrent, 1)
      for (_ <- 1 to 2) traced.execute(task { both.countDown(); reach(both) })
      trace.await(limit)
    }
    assertEquals(trace.concurrent, 2)
  }

  test("every map on a completed Future is one task, a map on a failed one is none") {
    def tasks(step: ExecutionContext => Any): Int = {
      val trace = Trace()
      (1 to 50).foreach(_ => step(trace.context(ExecutionContext.global)))
      trace.await(limit)
      trace.spans.size
    }
    assertEquals(tasks(ec => Future.unit.map(identity)(ec)), 50)
    assertEquals(tasks(ec => Future.unit.onComplete(identity)(ec)), 50)
    val failed = Future.failed[Int](new Exception)
    assertEquals(tasks(ec => failed.map(_ + 1)(ec)), 0)
  }

  test("a task's exception reaches its executor and is recorded") {
    val trace = Trace()
    val thrown = new IllegalStateException("on purpose")
    val here = new ExecutionContext {
      def execute(task: Runnable): Unit = task.run()
      def reportFailure(cause: Throwable): Unit = ()
    }
    assertEquals(intercept[IllegalStateException](trace.context(here).execute(task(throw thrown))), thrown)
    assertEquals(trace.spans.map(_.failure), Vector(Some(thrown)))
    trace.await(limit)
  }

  test("a failed callback goes to the wrapped context's reportFailure") {
    val reported = new AtomicReference[Option[Throwable]](None)
    val thrown = new IllegalStateException("on purpose")
    val ec = ExecutionContext.fromExecutor(_.run(), cause => reported.set(Some(cause)))
    Future.unit.foreach(_ => throw thrown)(Trace().context(ec))
    assertEquals(reported.get, Some(thrown))
  }

  test("a refused task is over, and says why") {
    val trace = Trace()
    val pool = Executors.newSingleThreadExecutor()
    pool.shutdown()
    intercept[RejectedExecutionException](trace.service(pool).execute(task(())))
    trace.await(limit)
    assert(trace.spans.head.failure.exists(_.isInstanceOf[RejectedExecutionException]))
    assertEquals(trace.spans.head.thread, None)
  }

  test("a null task is refused as the executors themselves refuse it") {
    val nothing = Option.empty[Runnable].orNull
    intercept[NullPointerException](Trace().context(ExecutionContext.parasitic).execute(nothing))
  }

  test("waiting for a task that doesn't end gives up and names it") {
    val trace = Trace()
    val release = new CountDownLatch(1)
    Using.resource(Executors.newSingleThreadExecutor()) { pool =>
      trace.service(pool).as("stuck").execute(task(reach(release)))
      val message =
        try intercept[TimeoutException](trace.await(50.millis)).getMessage
        finally release.countDown()
      assert(message.contains("stuck"), message)
      trace.await(limit)
    }
  }

  test("blocking reaches the wrapped context, and its time is recorded") {
    val heard = new AtomicInteger
    val beneath = new BlockContext {
      def blockOn[T](thunk: => T)(implicit permission: CanAwait): T = { heard.incrementAndGet(); thunk }
    }
    val trace = Trace()
    BlockContext.withBlockContext(beneath) {
      trace
        .context(ExecutionContext.parasitic)
        .execute(task {
          blocking(())
          intercept[TimeoutException](Await.ready(Future.never, 1.nano))
          ()
        })
    }
    assertEquals(heard.get, 2)
    assertEquals(trace.spans.head.blocked.size, 2)
    assert(trace.spans.head.blockedNanos <= trace.spans.head.ranNanos.getOrElse(0L))
    assertEquals(BlockContext.current, BlockContext.defaultBlockContext)
  }

  test("a traced ForkJoinPool still compensates, and the threads beyond its parallelism are spare") {
    val trace = Trace()
    val tasks = ExecutionContext.global match {
      case pool: ForkJoinPool => pool.getParallelism + 3
      case other              => fail(s"a ForkJoinPool was expected, not $other")
    }
    val together = new CountDownLatch(tasks)
    val traced = trace.context(ExecutionContext.global)
    (1 to tasks).foreach(_ => Future(blocking { together.countDown(); reach(together) })(traced))
    trace.await(limit)
    assert(trace.spans.forall(_.failure.isEmpty), "with compensation all tasks meet")
    assertEquals(trace.spans.flatMap(_.worker).distinct.count(_.spare), 3)
  }

  test("a pool that works within its parallelism has no spare threads") {
    val trace = Trace()
    Using.resource(new ForkJoinPool(2)) { pool =>
      (1 to 200).foreach(_ => trace.service(pool).execute(task(())))
      trace.await(limit)
    }
    assert(trace.spans.flatMap(_.worker).forall(!_.spare))
  }

  test("submit, invokeAll and invokeAny are recorded and keep their results") {
    val trace = Trace()
    def answer(n: Int): Callable[Int] = () => n
    Using.resource(trace.service(Executors.newFixedThreadPool(2))) { pool =>
      assertEquals(pool.submit(answer(7)).get(10, TimeUnit.SECONDS), 7)
      assertEquals(pool.submit(task(()), "done").get(10, TimeUnit.SECONDS), "done")
      assertEquals(pool.invokeAll(Seq(answer(1), answer(2)).asJava).asScala.map(_.get).toSeq, Seq(1, 2))
      assertEquals(pool.invokeAny(Seq(answer(3)).asJava), 3)
    }
    assertEquals(trace.spans.size, 5)
  }

  test("a submitted task's exception stays in its Future") {
    val trace = Trace()
    Using.resource(trace.service(Executors.newSingleThreadExecutor())) { pool =>
      val failing: Callable[Int] = () => throw new IllegalStateException("on purpose")
      val cause = intercept[java.util.concurrent.ExecutionException](pool.submit(failing).get(10, TimeUnit.SECONDS)).getCause
      assertEquals(cause.getMessage, "on purpose")
    }
  }

  test("a batching executor sees that a Future's step may be batched") {
    val seen = new AtomicBoolean
    val ec = new ExecutionContextExecutor {
      def execute(task: Runnable): Unit = { seen.set(task.isInstanceOf[Batchable]); task.run() }
      def reportFailure(cause: Throwable): Unit = throw cause
    }
    val traced = Trace().context(ec)
    traced.execute(task(()))
    assert(!seen.get, "a plain Runnable isn't batchable")
    Future.unit.map(identity)(traced)
    assert(seen.get, "a Future's step is")
  }

  test("a long chain on parasitic stays flat when traced") {
    val traced = Trace().context(ExecutionContext.parasitic)
    val end = (1 to 100000).foldLeft(Future.successful(0))((future, _) => future.map(_ + 1)(traced))
    assertEquals(Await.result(end, limit), 100000)
  }

  test("many threads may submit simultaneously, and nothing is lost") {
    val trace = Trace()
    val threads = 8
    val each = 2000
    Using.resource(Executors.newFixedThreadPool(2)) { pool =>
      val traced = trace.service(pool)
      val submitters = (1 to threads).map(_ => new Thread(() => (1 to each).foreach(_ => traced.execute(task(())))))
      submitters.foreach(_.start())
      submitters.foreach(_.join(limit.toMillis))
      trace.await(limit)
    }
    assertEquals(trace.spans.size, threads * each)
    assert(trace.spans.zip(trace.spans.drop(1)).forall { case (a, b) => a.submittedNanos <= b.submittedNanos })
  }

  test("beyond its limit a trace lets tasks run and counts them") {
    val trace = Trace(limit = 3)
    val ran = new AtomicInteger
    (1 to 5).foreach(_ => trace.context(ExecutionContext.parasitic).execute(task { ran.incrementAndGet(); () }))
    assertEquals(ran.get, 5)
    assertEquals(trace.spans.size, 3)
    assertEquals(trace.dropped, 2L)
    assert(trace.summary.contains("2 more not recorded"), trace.summary)
  }

  test("virtual threads are distinguished") {
    val trace = Trace()
    Using.resource(trace.service(Executors.newVirtualThreadPerTaskExecutor()))(_.execute(task(())))
    val worker = trace.spans.head.worker
    assert(worker.exists(w => w.virtual && w.label.startsWith("virtual-")), worker)
  }
}

package lab.exercises

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.jdk.CollectionConverters._
import scala.util.{Random, Success}

/** The input of `mapAsync`.
  *
  * @param next    asks the source for an element; `None` if there are no more
  * @param work    begins the work for an element
  * @param emit    sends a result downstream
  * @param context runs whatever happens later
  */
final case class Stage(
    parallelism: Int,
    next: () => Option[Int],
    work: Int => Future[String],
    emit: String => Unit,
    context: ExecutionContext
)

/** Write what `mapAsync` does: ask a source for elements, have at most `parallelism` of them in flight, and emit in the source's order. The
  * cases complete the Futures themselves and run the context by hand, so that nothing depends on chance. One case has real threads.
  */
object MapAsync extends Cases[Stage => Future[Unit]]("08-map-async") {
  trial("as many are taken and begun as may be in flight, and no more")(
    "Nothing has completed yet. How many elements may have left the source?",
    "Call `next` only while fewer than `parallelism` elements are in flight. Then return, without waiting."
  ) { mapAsync =>
    val one = new Stream(mapAsync)
    Seen(s"${one.parallelism} begun, ${one.parallelism} left the source", s"${one.begun} begun, ${one.taken} left the source")
  }
  trial("an element that has completed but can't be emitted yet still counts")(
    "The first was emitted, the second is slow, and the others have completed. They can't be emitted before the second, so they are still in memory.",
    "Count the elements that haven't been emitted, and not those that haven't completed. Otherwise a slow element fills the memory."
  ) { mapAsync =>
    val one = new Stream(mapAsync)
    (3 to one.parallelism).foreach(one.complete)
    one.complete(1)
    Seen(s"${one.parallelism + 1} begun, 1 emitted", s"${one.begun} begun, ${one.out.size} emitted")
  }
  trial("when one is emitted, one is begun")(
    "The first was emitted, and all others are in flight. Does the next one begin now, or only when the whole group is done?",
    "After each emission look at the source again. Keep a queue of Futures, take the first, and add another one at the end."
  ) { mapAsync =>
    val one = new Stream(mapAsync)
    one.complete(1)
    Seen(s"${one.parallelism + 1} begun, 1 emitted", s"${one.begun} begun, ${one.out.size} emitted")
  }
  trial("with a parallelism of 1 it works as `map` would: one after the other")(
    "There is one place in all. The second may begin only when the first was emitted. Does your code count the one that it is about to begin?"
  ) { mapAsync =>
    val one = new Stream(mapAsync, parallelism = 1)
    val first = one.begun
    one.complete(1)
    Seen("1 begun, then 2 begun, 1 emitted", s"$first begun, then ${one.begun} begun, ${one.out.size} emitted")
  }
  trial("results are emitted in the source's order, whatever completes first")(
    "Which result is emitted next? Not the one that is ready, but the one that has waited longest.",
    "Wait only for the first Future of your queue: `window.head.flatMap { text => emit(text); … }`."
  ) { mapAsync =>
    val n = some(6, 9)
    val one = new Stream(mapAsync, parallelism = n, elements = n)
    Random.shuffle((1 to n).toVector).foreach(one.complete)
    Seen(s"${(1 to n).mkString(" ")} emitted", one.emitted)
  }
  trial("twenty thousand Futures are complete immediately: all are emitted, then the result completes")(
    "Which method calls which here? A method that calls itself for each element needs a stack of that depth.",
    "Continue in a step that runs on `context` (`map`, `flatMap`). Each step then begins on a fresh stack."
  ) { mapAsync =>
    val n = 20000
    val one = new Stream(mapAsync, elements = n, completed = true)
    val inOrder = one.out == (1 to n).map(number => s"$number")
    Seen(s"$n emitted, in order, then complete", s"${one.out.size} emitted, ${if (inOrder) "in" else "not in"} order, then ${one.state}")
  }
  trial("an empty source: nothing is emitted, and the result completes")(
    "`next()` returns `None` immediately. Does your code wait for a first element?"
  ) { mapAsync =>
    val one = new Stream(mapAsync, elements = 0)
    Seen("0 emitted, then complete", s"${one.out.size} emitted, then ${one.state}")
  }
  trial("a Future that fails ends it: the elements before it are emitted, and the result fails with the same exception")(
    "What does your result do if one of the Futures fails? Its caller must get the failure.",
    "A `flatMap` on the first Future of the queue passes its failure on by itself. Don't `recover` from it."
  ) { mapAsync =>
    val (parallelism, bad) = (some(4, 6), 3)
    val one = new Stream(mapAsync, parallelism)
    (1 until bad).foreach(one.complete)
    one.fail(bad)
    val most = parallelism + bad
    val begun = if (one.begun <= most) s"at most $most begun" else s"${one.begun} begun"
    Seen(s"1 2 emitted, at most $most begun, failed: on purpose", s"${one.emitted}, $begun, ${one.state}")
  }
  trial("a call of `work` that throws ends it, too: the result fails with the same exception")(
    "`work` may throw before it returns a Future. Who gets that exception: your caller, as the returned Future's failure?",
    "Make it a Future that has failed: `Try(work(n)).fold(error => Future.failed(error), begun => begun)`."
  ) { mapAsync =>
    val (parallelism, bad) = (some(4, 6), 3)
    val one = new Stream(mapAsync, parallelism, throwsAt = bad)
    (1 until bad).foreach(one.complete)
    Seen("failed: on purpose", one.state)
  }
  trial("whatever happens later runs on `context`")(
    "A Future has just completed, on some thread. Which thread should emit, and begin the next one?",
    "Pass `context` to every `map`, `flatMap` and `onComplete`."
  ) { mapAsync =>
    val one = new Stream(mapAsync)
    one.complete(1)
    Seen("1 emitted, on `context`", s"${one.out.size} emitted, ${if (one.strayed) "where the Future completed" else "on `context`"}")
  }
  trial("on a pool of real threads: the limit is kept, results are emitted one at a time, and in order")(
    "Two Futures may complete at the same moment, on two threads. What makes sure that only one of them changes your queue?",
    "One chain of steps, each begun by the previous one, needs no lock, because there is never more than one of them."
  ) { mapAsync =>
    withPool(4) { pool =>
      val (n, parallelism) = (500, some(3, 6))
      val (asked, emitting, overlaps, inFlight) = (new AtomicInteger, new AtomicInteger, new AtomicInteger, new Most)
      val (out, over) = (new ConcurrentLinkedQueue[String], new CountDownLatch(1))
      def next() = Option(asked.incrementAndGet()).filter(_ <= n)
      def begin(number: Int) = { inFlight.enter(); Future { Thread.`yield`(); s"$number" }(pool) }
      def emit(text: String): Unit = {
        if (emitting.incrementAndGet() > 1) overlaps.incrementAndGet()
        out.add(text)
        Thread.`yield`()
        emitting.decrementAndGet()
        inFlight.leave()
      }
      mapAsync(Stage(parallelism, () => next(), begin, emit, pool)).onComplete(_ => over.countDown())(ExecutionContext.parasitic)
      val state = if (reach(over)) "complete" else s"still running after ${out.size}"
      val ordered = if (out.asScala.toVector == (1 to n).map(number => s"$number")) "in order" else "not in order"
      val limit = if (inFlight.most <= parallelism) s"at most $parallelism" else s"${inFlight.most}"
      val apart = if (overlaps.get == 0) "one at a time" else s"${overlaps.get} times simultaneously"
      Seen(
        s"$n emitted in order, one at a time; at most $parallelism in flight; complete",
        s"${out.size} emitted $ordered, $apart; $limit in flight; $state"
      )
    }
  }

  /** Elements 1, 2, 3 …, whose Futures a case completes, on a context that runs when the case says so. */
  private final class Stream(
      mapAsync: Stage => Future[Unit],
      val parallelism: Int = some(3, 6),
      elements: Int = 40,
      completed: Boolean = false,
      throwsAt: Int = 0
  ) {
    private val held = new Held
    private val promises = (1 to elements).map(_ => Promise[String]())
    private var (asked, started, moved, emissions) = (0, 0, false, Vector.empty[String])
    private val result = mapAsync(Stage(parallelism, () => next(), begin, text => emissions :+= text, held))
    held.runAll()

    /** Returns whether anything happened before the context ran, on the thread that completed a Future. */
    def strayed: Boolean = moved
    def begun: Int = started
    def taken: Int = asked
    def out: Vector[String] = emissions
    def emitted: String = s"${if (out.isEmpty) "none" else out.mkString(" ")} emitted"
    def state: String = if (result.value.contains(Success(()))) "complete" else outcome(result, none = "never complete")

    private def next(): Option[Int] = Option.when(asked < elements) { asked += 1; asked }
    private def begin(n: Int): Future[String] = {
      if (n == throwsAt) throw new IllegalStateException("on purpose")
      started += 1
      if (completed) promises(n - 1).success(s"$n")
      promises(n - 1).future
    }
    def complete(n: Int): Unit = {
      val before = (asked, started, out.size)
      promises(n - 1).success(s"$n")
      if ((asked, started, out.size) != before) moved = true
      held.runAll()
    }
    def fail(n: Int): Unit = { promises(n - 1).failure(new IllegalStateException("on purpose")); held.runAll() }
  }
}

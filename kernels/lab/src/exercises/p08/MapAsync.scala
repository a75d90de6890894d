package lab.exercises

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.jdk.CollectionConverters._
import scala.util.{Random, Success}

/** What `mapAsync` works with.
  *
  * @param next    the source: an element, or `None` when there are no more
  * @param work    begins what is to be done for an element
  * @param emit    sends a result on
  * @param context on which whatever goes on later runs
  */
final case class Stage(
    parallelism: Int,
    next: () => Option[Int],
    work: Int => Future[String],
    emit: String => Unit,
    context: ExecutionContext
)

/** Write what `mapAsync` does: ask a source for elements, have so many of them under way, emit in the source's order. The cases complete
  * the Futures themselves and run the context by hand, so that nothing is left to chance; one case has real threads.
  */
object MapAsync extends Cases[Stage => Future[Unit]]("08-map-async") {
  trial("so many are asked for and begun, and no more")(
    "Nothing has completed yet. How many elements may have left the source?",
    "Ask `next` only while fewer than `parallelism` elements are under way; then come back, without waiting."
  ) { mapAsync =>
    val one = new Stream(mapAsync)
    Seen(s"${one.parallelism} begun, ${one.parallelism} left the source", s"${one.begun} begun, ${one.taken} left the source")
  }
  trial("what has completed but can't be emitted yet still counts")(
    "The first was emitted, the second is slow, the others have completed. They can't go out before it, so they are still here.",
    "Count what hasn't been emitted, not what hasn't completed: that is what keeps a slow element from filling the memory."
  ) { mapAsync =>
    val one = new Stream(mapAsync)
    (3 to one.parallelism).foreach(one.complete)
    one.complete(1)
    Seen(s"${one.parallelism + 1} begun, 1 emitted", s"${one.begun} begun, ${one.out.size} emitted")
  }
  trial("one goes out, one comes in")(
    "The first was emitted; all others are under way. Is the next one begun now, or only when the whole group is through?",
    "After each emission look at the source again: keep a queue of Futures, take the first, and put one more at the end."
  ) { mapAsync =>
    val one = new Stream(mapAsync)
    one.complete(1)
    Seen(s"${one.parallelism + 1} begun, 1 emitted", s"${one.begun} begun, ${one.out.size} emitted")
  }
  trial("with a parallelism of 1 it does what `map` would: one after the other")(
    "One place in all: the second may be begun only when the first was emitted. Does your code count the one that it is about to begin?"
  ) { mapAsync =>
    val one = new Stream(mapAsync, parallelism = 1)
    val first = one.begun
    one.complete(1)
    Seen("1 begun, then 2 begun, 1 emitted", s"$first begun, then ${one.begun} begun, ${one.out.size} emitted")
  }
  trial("emitted in the source's order, whatever completes first")(
    "Whose turn is it to go out? Not who is ready, but who has waited longest.",
    "Only the first Future of your queue is worth waiting for: `window.head.flatMap { text => emit(text); … }`."
  ) { mapAsync =>
    val n = some(6, 9)
    val one = new Stream(mapAsync, parallelism = n, elements = n)
    Random.shuffle((1 to n).toVector).foreach(one.complete)
    Seen(s"${(1 to n).mkString(" ")} emitted", one.emitted)
  }
  trial("twenty thousand Futures that are complete at once: all come out, then the result completes")(
    "Who is called by whom here? A method that calls itself for each element needs a stack that large.",
    "Go on in a step that runs on `context` (`map`, `flatMap`): each then begins on a fresh stack."
  ) { mapAsync =>
    val n = 20000
    val one = new Stream(mapAsync, elements = n, completed = true)
    val inOrder = one.out == (1 to n).map(number => s"$number")
    Seen(s"$n emitted, in order, then complete", s"${one.out.size} emitted, ${if (inOrder) "in" else "not in"} order, then ${one.state}")
  }
  trial("nothing is emitted: an empty source, and the result completes")(
    "`next()` says `None` at once. Is anybody waiting for a first element?"
  ) { mapAsync =>
    val one = new Stream(mapAsync, elements = 0)
    Seen("0 emitted, then complete", s"${one.out.size} emitted, then ${one.state}")
  }
  trial("a Future that fails ends it: what stood before it is emitted, the result fails with the same exception")(
    "What does your result do when one of the Futures fails? Whoever waits for it must hear of it.",
    "A `flatMap` on the first Future of the queue hands its failure on by itself; don't `recover` it."
  ) { mapAsync =>
    val (parallelism, bad) = (some(4, 6), 3)
    val one = new Stream(mapAsync, parallelism)
    (1 until bad).foreach(one.complete)
    one.fail(bad)
    val most = parallelism + bad
    val begun = if (one.begun <= most) s"at most $most begun" else s"${one.begun} begun"
    Seen(s"1 2 emitted, at most $most begun, failed: on purpose", s"${one.emitted}, $begun, ${one.state}")
  }
  trial("whatever goes on later runs on `context`")(
    "A Future has just completed, on somebody's thread. Who should emit, and begin the next one?",
    "Hand `context` to every `map`, `flatMap` and `onComplete`."
  ) { mapAsync =>
    val one = new Stream(mapAsync)
    one.complete(1)
    Seen("1 emitted, on `context`", s"${one.out.size} emitted, ${if (one.strayed) "where the Future completed" else "on `context`"}")
  }
  trial("on a pool of real threads: the limit holds, nobody emits at the same time as another, and in order")(
    "Two Futures may complete at the same moment, on two threads. Who makes sure that only one of them looks at your queue?",
    "One chain of steps, each begun by the one before, needs no lock: there is never more than one of them."
  ) { mapAsync =>
    withPool(4) { pool =>
      val (n, parallelism) = (500, some(3, 6))
      val (asked, emitting, overlaps, underWay) = (new AtomicInteger, new AtomicInteger, new AtomicInteger, new Most)
      val (out, over) = (new ConcurrentLinkedQueue[String], new CountDownLatch(1))
      def next() = Option(asked.incrementAndGet()).filter(_ <= n)
      def begin(number: Int) = { underWay.enter(); Future { Thread.`yield`(); s"$number" }(pool) }
      def emit(text: String): Unit = {
        if (emitting.incrementAndGet() > 1) overlaps.incrementAndGet()
        out.add(text)
        Thread.`yield`()
        emitting.decrementAndGet()
        underWay.leave()
      }
      mapAsync(Stage(parallelism, () => next(), begin, emit, pool)).onComplete(_ => over.countDown())(ExecutionContext.parasitic)
      val state = if (reach(over)) "complete" else s"still running after ${out.size}"
      val ordered = if (out.asScala.toVector == (1 to n).map(number => s"$number")) "in order" else "not in order"
      val limit = if (underWay.most <= parallelism) s"at most $parallelism" else s"${underWay.most}"
      val apart = if (overlaps.get == 0) "one at a time" else s"${overlaps.get} times at once"
      Seen(
        s"$n emitted in order, one at a time; at most $parallelism under way; complete",
        s"${out.size} emitted $ordered, $apart; $limit under way; $state"
      )
    }
  }

  /** Elements 1, 2, 3 …, whose Futures a case completes, on a context that runs when the case says so. */
  private final class Stream(
      mapAsync: Stage => Future[Unit],
      val parallelism: Int = some(3, 6),
      elements: Int = 40,
      completed: Boolean = false
  ) {
    private val held = new Held
    private val promises = (1 to elements).map(_ => Promise[String]())
    private var (asked, started, moved, emissions) = (0, 0, false, Vector.empty[String])
    private val result = mapAsync(Stage(parallelism, () => next(), begin, text => emissions :+= text, held))
    held.runAll()

    /** Whether anything went on before the context ran: on the thread that completed a Future. */
    def strayed: Boolean = moved
    def begun: Int = started
    def taken: Int = asked
    def out: Vector[String] = emissions
    def emitted: String = s"${if (out.isEmpty) "none" else out.mkString(" ")} emitted"
    def state: String = if (result.value.contains(Success(()))) "complete" else told(result, none = "never complete")

    private def next(): Option[Int] = Option.when(asked < elements) { asked += 1; asked }
    private def begin(n: Int): Future[String] = {
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

package lab.exercises

import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue, CountDownLatch, Executors}
import java.util.concurrent.atomic.AtomicInteger

import lab.machine.Settle

import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Random, Try}

/** The input of a handler, and its contexts.
  *
  * @param read     returns the value of a key, by a call that blocks
  * @param join     makes the answer of all values, and is quick
  * @param loop     the event loop, which calls the handler
  * @param blocking a pool whose threads may block
  */
final case class Request(
    keys: Seq[Int],
    read: Int => String,
    join: Seq[String] => String,
    loop: ExecutionContext,
    blocking: ExecutionContext
)

/** Write a handler on an event loop that reads some values by blocking calls and joins them. The check lets the loop beat while the reads
  * are in flight. It doesn't matter how late the beats are, only whether they run.
  */
object NeverBlocks extends Cases[Request => Future[String]]("09-never-blocks") {
  trial("while the reads are in flight, the loop beats")(
    "The handler is called on the loop's thread. What does that thread do while `read` blocks?",
    "Submit each read to `blocking` and return immediately: `Future(read(key))(blocking)`. Nothing waits for it with `Await`."
  ) { handler =>
    written(handler)
    on(4) { (loop, blocking) =>
      val (reading, end, beat) = (new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1))
      def read(key: Int) = { reading.countDown(); end.await(); s"$key" }
      loop.context.execute { () => handler(Request(keys(3), read, _.mkString, loop.context, blocking.context)); () }
      val begun = reach(reading, 1.second)
      loop.context.execute(() => beat.countDown())
      val beats = reach(beat, 1.second)
      end.countDown()
      val expected = "reads are in flight, the loop beats"
      Seen(expected, s"${if (begun) "reads are" else "no read is"} in flight, the loop ${if (beats) "beats" else "doesn't beat"}")
    }
  }
  trial("all reads of a request are in flight simultaneously")(
    "Three reads one after the other take three times as long. Does the second one need the first one's result?",
    "Start all of them before you wait for any: `Future.traverse(keys)(key => Future(read(key))(blocking))(…, …)`."
  ) { handler =>
    val n = some(3, 5)
    on(n) { (loop, blocking) =>
      val (together, end) = (new CountDownLatch(n), new CountDownLatch(1))
      def read(key: Int) = { together.countDown(); end.await(); s"$key" }
      loop.context.execute { () => handler(Request(keys(n), read, _.mkString, loop.context, blocking.context)); () }
      reach(together, 1.second)
      val begun = n - together.getCount
      end.countDown()
      Seen(s"$n of $n reads in flight", s"$begun of $n reads in flight")
    }
  }
  trial("no thread waits for the reads, not even one of `blocking`")(
    "The first read is done, and the others aren't. Is its thread free for another task, or does it wait for the other reads?",
    "`Await`, `join` and a latch block the thread that calls them, whichever that is. Attach what comes next with `map`. Then the last read starts it."
  ) { handler =>
    val n = some(3, 5)
    on(n) { (loop, blocking) =>
      val asked = keys(n)
      val (together, first, others, free) = (new CountDownLatch(n), new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1))
      def read(key: Int) = {
        together.countDown()
        (if (key == asked.head) first else others).await()
        s"$key"
      }
      val before = inside(handler)
      loop.context.execute { () => handler(Request(asked, read, _.mkString, loop.context, blocking.context)); () }
      reach(together, 1.second) // There is one thread for each read, so anything else that the handler submitted has to queue.
      first.countDown()
      blocking.context.execute(() => free.countDown())
      val isFree = reach(free, 1.second)
      val waiting = Settle(before + 1, quiet = 200.millis)(inside(handler)) - before
      others.countDown()
      def said(isFree: Boolean, waiting: Int) = s"its thread is ${if (isFree) "free" else "taken"}, $waiting of your threads wait"
      Seen(said(isFree = true, 0), said(isFree, waiting.max(0))).of(s"$n threads, $n reads, one of them over")
    }
  }
  trial("reads run on threads of `blocking`, the join on the loop")(
    "The thread of the last read must not go on with the request. Which context does your last step name?",
    "Name `loop` where you attach `join`: `.map(join)(loop)`."
  ) { handler =>
    on(2) { (loop, blocking) =>
      val (reads, joins) = (new ConcurrentLinkedQueue[Boolean], new ConcurrentLinkedQueue[Boolean])
      val (asked, back) = (keys(some(3, 5)), new CountDownLatch(1))
      def read(key: Int) = {
        reads.add(blocking.isHere)
        reach(back, 1.second) // so that the handler never finds a read complete, and `join` runs where its context says
        s"$key"
      }
      def join(all: Seq[String]) = { joins.add(loop.isHere); all.mkString(" ") }
      def called(request: Request) = try handler(request)
      finally back.countDown()
      val (result, _) = run(called, Request(asked, read, join, loop.context, blocking.context))
      def who(on: ConcurrentLinkedQueue[Boolean], name: String) = {
        val (here, there) = on.asScala.toVector.partition(identity)
        s"${here.size} on $name, ${there.size} elsewhere"
      }
      val expected = s"reads: ${asked.size} on `blocking`, 0 elsewhere; join: 1 on the loop, 0 elsewhere; ${asked.mkString(" ")}"
      Seen(expected, s"reads: ${who(reads, "`blocking`")}; join: ${who(joins, "the loop")}; ${result.getOrElse("no answer")}")
        .hintIf(reads.asScala.exists(!_))("A read ran on a thread that isn't one of `blocking`'s. On which context does each read begin?")
        .hintIf(joins.isEmpty)("Is `join` called at all? It gets all values, and its result is the handler's.")
    }
  }
  trial("the values are joined in the order of the keys, whatever comes first")(
    "Reads end in any order. Whose order does the request have?",
    "`Future.traverse` and `Future.sequence` keep the order of the keys. A queue to which each read adds its value doesn't."
  ) { handler =>
    on(3) { (loop, blocking) =>
      val (asked, others) = (keys(3), new CountDownLatch(2))
      def read(key: Int) = {
        if (key == asked.head) reach(others, 1.second) else others.countDown()
        s"$key"
      }
      val (result, _) = run(handler, Request(asked, read, _.mkString(" "), loop.context, blocking.context))
      Seen(asked.mkString(" "), result.getOrElse("no answer"))
    }
  }
  trial("if a read fails, the caller gets the failure, and nothing is joined")(
    "`map` and `traverse` pass a failure on by themselves. Don't catch it, and don't replace it by a made-up value."
  ) { handler =>
    on(2) { (loop, blocking) =>
      val (asked, joined) = (keys(3), new AtomicInteger)
      def read(key: Int) = if (key == asked(1)) throw new ArithmeticException("on purpose") else s"$key"
      def join(all: Seq[String]) = { joined.incrementAndGet(); all.mkString }
      val (result, failure) = run(handler, Request(asked, read, join, loop.context, blocking.context))
      Seen("failed: ArithmeticException, 0 joined", s"${result.fold(s"failed: $failure")(text => s"'$text'")}, ${joined.get} joined")
    }
  }
  trial("a request without keys is answered with the join of nothing")(
    "No read will ever complete, so no last read will start the join. Is the request still answered?"
  ) { handler =>
    on(2) { (loop, blocking) =>
      val (result, _) = run(handler, Request(Nil, key => s"$key", all => s"${all.size} joined", loop.context, blocking.context))
      Seen("0 joined", result.getOrElse("no answer"))
    }
  }

  /** Calls the handler on the loop. Returns its answer, or the name of the exception with which it failed. */
  private def run(handler: Request => Future[String], request: Request): (Option[String], String) = {
    val tried = ended(Future(handler(request))(request.loop).flatten, 2.seconds)
    (tried.toOption, tried.failed.map(_.getClass.getSimpleName).getOrElse(""))
  }

  /** Throws as `???` does if the answer is `???`, because nobody would see that inside a task of the loop. The cases check everything else.
    */
  private def written(handler: Request => Future[String]): Unit = on(1) { (loop, blocking) =>
    val request = Request(Nil, key => s"$key", _.mkString, loop.context, blocking.context)
    ended(Future(Try(handler(request)))(loop.context), 500.millis).flatten match {
      case Failure(missing: NotImplementedError) => throw missing
      case _                                     => ()
    }
  }

  /** Returns how many threads are in the handler's code and not in a read: they wait for one, by whatever means. */
  private def inside(handler: Request => Future[String]): Int = {
    val (theirs, ours) = (s"${handler.getClass.getPackageName}.", getClass.getName)
    def in(frames: Array[StackTraceElement], name: String) = frames.exists(_.getClassName.startsWith(name))
    Thread.getAllStackTraces.values.asScala.count(frames => in(frames, theirs) && !in(frames, ours))
  }

  /** Some threads, with a method that says whether the caller is one of them. */
  private final class Place(size: Int) {
    private val own = ConcurrentHashMap.newKeySet[Thread]
    private val pool = Executors.newFixedThreadPool(
      size,
      { task =>
        val thread = daemons.newThread(task); own.add(thread); thread
      }
    )
    val context: ExecutionContext = ExecutionContext.fromExecutor(pool, _ => ())
    def isHere: Boolean = own.contains(Thread.currentThread)
    def stop(): Unit = { pool.shutdownNow(); () }
  }

  /** Calls `use` with a loop of one thread and a pool of `size` threads. */
  private def on[T](size: Int)(use: (Place, Place) => T): T = {
    val (loop, blocking) = (new Place(1), new Place(size))
    try use(loop, blocking)
    finally Seq(loop, blocking).foreach(_.stop())
  }

  private def keys(n: Int): Seq[Int] = (0 until n).map(at => at * 100 + Random.nextInt(100))
}

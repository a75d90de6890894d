package lab.exercises

import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue, CountDownLatch, Executors}
import java.util.concurrent.atomic.AtomicInteger

import lab.machine.Settle

import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Random, Try}

/** What a handler is asked for, and the contexts that it has.
  *
  * @param read     brings what a key stands for, by a call that blocks
  * @param join     makes the answer of all that was read; it is quick
  * @param loop     the event loop, on which the handler is called
  * @param blocking threads that may be blocked
  */
final case class Request(
    keys: Seq[Int],
    read: Int => String,
    join: Seq[String] => String,
    loop: ExecutionContext,
    blocking: ExecutionContext
)

/** A handler on an event loop that reads some things by blocking calls and joins them. The loop's own beats tell whether it was ever held:
  * not how late they are, but whether they run while the reads are under way.
  */
object NeverBlocks extends Cases[Request => Future[String]]("09-never-blocks") {
  trial("while the reads are under way, the loop beats")(
    "The handler is called on the loop's thread. What does that thread do while `read` blocks?",
    "Hand each read to `blocking` and come back at once: `Future(read(key))(blocking)`. Nobody waits for it with `Await`."
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
      val expected = "reads are under way, the loop beats"
      Seen(expected, s"${if (begun) "reads are" else "no read is"} under way, the loop ${if (beats) "beats" else "stands still"}")
    }
  }
  trial("all reads of a request are under way at once")(
    "Three reads one after the other take three times as long. Does the second need what the first one brings?",
    "Begin all of them before you wait for any: `Future.traverse(keys)(key => Future(read(key))(blocking))(…, …)`."
  ) { handler =>
    val n = some(3, 5)
    on(n) { (loop, blocking) =>
      val (together, end) = (new CountDownLatch(n), new CountDownLatch(1))
      def read(key: Int) = { together.countDown(); end.await(); s"$key" }
      loop.context.execute { () => handler(Request(keys(n), read, _.mkString, loop.context, blocking.context)); () }
      reach(together, 1.second)
      val begun = n - together.getCount
      end.countDown()
      Seen(s"$n of $n reads under way", s"$begun of $n reads under way")
    }
  }
  trial("no thread waits for the reads, on `blocking` neither")(
    "The first read is over, the others aren't. Is its thread free for somebody else's task, or does it wait for the other reads?",
    "`Await` blocks the thread that calls it, whichever that is. Say with `map` what follows: then the last read starts it."
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
      val before = awaiting
      loop.context.execute { () => handler(Request(asked, read, _.mkString, loop.context, blocking.context)); () }
      reach(together, 1.second) // a thread for each read, and no other: what else the handler submitted has to queue
      first.countDown()
      blocking.context.execute(() => free.countDown())
      val isFree = reach(free, 1.second)
      val waiting = Settle(before + 1, quiet = 200.millis)(awaiting) - before
      others.countDown()
      def said(isFree: Boolean, waiting: Int) = s"its thread is ${if (isFree) "free" else "taken"}, $waiting in `Await`"
      Seen(said(isFree = true, 0), said(isFree, waiting.max(0))).of(s"$n threads, $n reads, one of them over")
    }
  }
  trial("reads run on threads of `blocking`, the join on the loop")(
    "Whoever completes the last read must not go on with the request by itself. Which context does your last step name?",
    "Name `loop` where you attach `join`: `.map(join)(loop)`."
  ) { handler =>
    on(2) { (loop, blocking) =>
      val (reads, joins) = (new ConcurrentLinkedQueue[Boolean], new ConcurrentLinkedQueue[Boolean])
      val (asked, back) = (keys(some(3, 5)), new CountDownLatch(1))
      def read(key: Int) = {
        reads.add(blocking.isHere)
        reach(back, 1.second) // so that the handler never finds a read complete, and the join is nobody's but its context's
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
        .hintIf(reads.asScala.exists(!_))("A read ran on a thread that isn't one of `blocking`'s. Which context does each read begin on?")
        .hintIf(joins.isEmpty)("Is `join` called at all? It gets all that was read, and its result is the handler's.")
    }
  }
  trial("what was read is joined in the order in which it was asked for, whatever comes first")(
    "Reads end in any order. Whose order does the request have?",
    "`Future.traverse` and `Future.sequence` keep the order of the keys; a queue that each read adds to doesn't."
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
  trial("a read that fails is the caller's to hear, and nothing is joined")(
    "`map` and `traverse` pass a failure on by themselves. Nothing has to be caught, and nothing made up in its place."
  ) { handler =>
    on(2) { (loop, blocking) =>
      val (asked, joined) = (keys(3), new AtomicInteger)
      def read(key: Int) = if (key == asked(1)) throw new ArithmeticException("on purpose") else s"$key"
      def join(all: Seq[String]) = { joined.incrementAndGet(); all.mkString }
      val (result, failure) = run(handler, Request(asked, read, join, loop.context, blocking.context))
      Seen("failed: ArithmeticException, 0 joined", s"${result.fold(s"failed: $failure")(text => s"'$text'")}, ${joined.get} joined")
    }
  }
  trial("a request that asks for nothing is answered with the join of nothing")(
    "No read will ever complete, and so none will ever complete the last. Is the answer still given?"
  ) { handler =>
    on(2) { (loop, blocking) =>
      val (result, _) = run(handler, Request(Nil, key => s"$key", all => s"${all.size} joined", loop.context, blocking.context))
      Seen("0 joined", result.getOrElse("no answer"))
    }
  }

  /** What the handler, called on the loop, comes to: its answer, or the name of what it failed with. */
  private def run(handler: Request => Future[String], request: Request): (Option[String], String) = {
    val tried = ended(Future(handler(request))(request.loop).flatten, 2.seconds)
    (tried.toOption, tried.failed.map(_.getClass.getSimpleName).getOrElse(""))
  }

  /** Fails as `???` does if the answer is that: within a loop's task nobody would hear of it. Whatever else becomes of it is for the cases. */
  private def written(handler: Request => Future[String]): Unit = on(1) { (loop, blocking) =>
    val request = Request(Nil, key => s"$key", _.mkString, loop.context, blocking.context)
    ended(Future(Try(handler(request)))(loop.context), 500.millis).flatten match {
      case Failure(missing: NotImplementedError) => throw missing
      case _                                     => ()
    }
  }

  /** How many threads of this JVM wait in `Await`. */
  private def awaiting: Int = Thread.getAllStackTraces.values.asScala.count(
    _.exists(frame => frame.getClassName == "scala.concurrent.impl.Promise$DefaultPromise" && frame.getMethodName.startsWith("tryAwait"))
  )

  /** Some threads, and a way to ask whether one is on one of them. */
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

  /** With a loop of one thread and a pool of `size`. */
  private def on[T](size: Int)(use: (Place, Place) => T): T = {
    val (loop, blocking) = (new Place(1), new Place(size))
    try use(loop, blocking)
    finally Seq(loop, blocking).foreach(_.stop())
  }

  private def keys(n: Int): Seq[Int] = (0 until n).map(at => at * 100 + Random.nextInt(100))
}

package lab.exercises

import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue, CountDownLatch, Executors, ThreadFactory}
import java.util.concurrent.atomic.AtomicInteger

import lab.page.Exercise
import lab.page.Exercise._

import scala.concurrent.{Await, ExecutionContext, ExecutionContextExecutorService, Future}
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Random, Try}

/** A handler on an event loop that reads some things by blocking calls and joins them. The loop's own beats tell whether it was ever held:
  * not how late they are, but whether they run while the reads are under way.
  */
object NeverBlocks
    extends Exercise[(Seq[Int], Int => String, Seq[String] => String, ExecutionContext, ExecutionContext) => Future[String]](
      "09-never-blocks"
    ) {

  def trials: Trials = beats ++ places ++ ends

  private def beats: Trials = Seq(
    Trial(
      "while the reads are under way, the loop beats",
      "The handler is called on the loop's thread. What does that thread do while `read` blocks?",
      "Hand each read to `blocking` and come back at once: `Future(read(key))(blocking)`. Nobody waits for it with `Await`."
    ) { answer =>
      written(answer)
      onLoop { (loop, _) =>
        withPool(4) { blocking =>
          val (reading, end, beat) = (new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1))
          loop.execute { () =>
            answer(keys(3), key => { reading.countDown(); end.await(); s"$key" }, _.mkString, loop, blocking)
            ()
          }
          val begun = reach(reading, 1.second)
          loop.execute(() => beat.countDown())
          val beats = reach(beat, 1.second)
          end.countDown()
          val expected = "reads are under way, the loop beats"
          Seen(expected, s"${if (begun) "reads are" else "no read is"} under way, the loop ${if (beats) "beats" else "stands still"}")
        }
      }
    },
    Trial(
      "all reads of a request are under way at once",
      "Three reads one after the other take three times as long. Does the second need what the first one brings?",
      "Begin all of them before you wait for any: `Future.traverse(keys)(key => Future(read(key))(blocking))(…, …)`."
    ) { answer =>
      onLoop { (loop, _) =>
        val n = some(3, 5)
        withPool(n) { blocking =>
          val (together, end) = (new CountDownLatch(n), new CountDownLatch(1))
          loop.execute { () =>
            answer(keys(n), key => { together.countDown(); end.await(); s"$key" }, _.mkString, loop, blocking)
            ()
          }
          val all = reach(together, 1.second)
          val begun = n - together.getCount
          end.countDown()
          Seen(s"$n of $n reads under way", if (all) s"$n of $n reads under way" else s"$begun of $n reads under way")
        }
      }
    }
  )

  private def places: Trials = Seq(
    Trial(
      "reads run on threads of `blocking`, the join on the loop",
      "Whoever completes the last read must not go on with the request by itself. Which context does your last step name?",
      "Name `loop` where you attach `join`: `.map(join)(loop)`."
    ) { answer =>
      onLoop { (loop, isLoop) =>
        onPool(2) { (blocking, isBlocking) =>
          val (reads, joins) = (new ConcurrentLinkedQueue[Boolean], new ConcurrentLinkedQueue[Boolean])
          val (asked, back) = (keys(some(3, 5)), new CountDownLatch(1))
          def read(key: Int): String = {
            reads.add(isBlocking())
            reach(back, 1.second) // so that the handler never finds a read complete, and the join is nobody's but its context's
            s"$key"
          }
          def join(all: Seq[String]): String = { joins.add(isLoop()); all.mkString(" ") }
          val (result, _) = run(
            {
              val answered = answer(asked, read, join, loop, blocking)
              back.countDown()
              answered
            },
            loop
          )
          def who(on: ConcurrentLinkedQueue[Boolean], name: String): String = {
            val (here, there) = on.asScala.toVector.partition(identity)
            s"${here.size} on $name, ${there.size} elsewhere"
          }
          val expected = s"reads: ${asked.size} on `blocking`, 0 elsewhere; join: 1 on the loop, 0 elsewhere; ${asked.mkString(" ")}"
          Seen(expected, s"reads: ${who(reads, "`blocking`")}; join: ${who(joins, "the loop")}; ${result.getOrElse("no answer")}")
            .hintIf(reads.asScala.exists(!_))(
              "A read ran on a thread that isn't one of `blocking`'s. Which context does each read begin on?"
            )
            .hintIf(joins.isEmpty)("Is `join` called at all? It gets all that was read, and its result is the handler's.")
        }
      }
    },
    Trial(
      "what was read is joined in the order in which it was asked for, whatever comes first",
      "Reads end in any order. Whose order does the request have?",
      "`Future.traverse` and `Future.sequence` keep the order of the keys; a queue that each read adds to doesn't."
    ) { answer =>
      onLoop { (loop, _) =>
        withPool(3) { blocking =>
          val asked = keys(3)
          val others = new CountDownLatch(2)
          def read(key: Int): String = {
            if (key == asked.head) reach(others, 1.second) else others.countDown()
            s"$key"
          }
          val (result, _) = run(answer(asked, read, _.mkString(" "), loop, blocking), loop)
          Seen(asked.mkString(" "), result.getOrElse("no answer"))
        }
      }
    }
  )

  private def ends: Trials = Seq(
    Trial(
      "a read that fails is the caller's to hear, and nothing is joined",
      "`map` and `traverse` pass a failure on by themselves. Nothing has to be caught, and nothing made up in its place."
    ) { answer =>
      onLoop { (loop, _) =>
        withPool(2) { blocking =>
          val (asked, joined) = (keys(3), new AtomicInteger)
          def read(key: Int): String = if (key == asked(1)) throw new ArithmeticException("on purpose") else s"$key"
          val (result, failure) = run(answer(asked, read, all => { joined.incrementAndGet(); all.mkString }, loop, blocking), loop)
          Seen("failed: ArithmeticException, 0 joined", s"${result.fold(s"failed: $failure")(text => s"'$text'")}, ${joined.get} joined")
        }
      }
    },
    Trial(
      "a request that asks for nothing is answered with the join of nothing",
      "No read will ever complete, and so none will ever complete the last. Is the answer still given?"
    ) { answer =>
      onLoop { (loop, _) =>
        withPool(2) { blocking =>
          val (result, _) = run(answer(Nil, key => s"$key", all => s"${all.size} joined", loop, blocking), loop)
          Seen("0 joined", result.getOrElse("no answer"))
        }
      }
    }
  )

  /** What the handler, called on the loop, comes to: its answer, or the name of what it failed with. */
  private def run(handler: => Future[String], loop: ExecutionContext): (Option[String], String) = {
    val tried = Try(Await.result(Future(handler)(loop).flatten, 2.seconds))
    (tried.toOption, tried.failed.map(_.getClass.getSimpleName).getOrElse(""))
  }

  /** Fails as `???` does if the answer is that: within a loop's task nobody would hear of it. Whatever else becomes of it is for the cases. */
  private def written(
      answer: (Seq[Int], Int => String, Seq[String] => String, ExecutionContext, ExecutionContext) => Future[String]
  ): Unit =
    onLoop { (loop, _) =>
      withPool(1) { blocking =>
        val called = Future(Try(answer(Nil, key => s"$key", _.mkString, loop, blocking)))(loop)
        Try(Await.result(called, 500.millis)).flatten match {
          case Failure(missing: NotImplementedError) => throw missing
          case _                                     => ()
        }
      }
    }

  /** With a loop of one thread, and a way to ask whether one is on it. */
  private def onLoop[T](use: (ExecutionContextExecutorService, () => Boolean) => T): T = onPool(1)(use)

  /** With so many threads, and a way to ask whether one is on one of them. */
  private def onPool[T](size: Int)(use: (ExecutionContextExecutorService, () => Boolean) => T): T = {
    val own = ConcurrentHashMap.newKeySet[Thread]
    val factory: ThreadFactory = task => {
      val thread = threads.newThread(task)
      own.add(thread)
      thread
    }
    val executor = Executors.newFixedThreadPool(size, factory)
    try use(ExecutionContext.fromExecutorService(executor, _ => ()), () => own.contains(Thread.currentThread))
    finally { executor.shutdownNow(); () }
  }

  private def keys(n: Int): Seq[Int] = Seq.fill(n)(0).zipWithIndex.map { case (_, at) => at * 100 + Random.nextInt(100) }
  private def some(from: Int, to: Int): Int = from + Random.nextInt(to - from + 1)
}

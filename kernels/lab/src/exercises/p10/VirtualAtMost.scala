package lab.exercises

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}

import lab.machine.Settle

import scala.concurrent.ExecutionContext
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.control.NoStackTrace

/** Write a context that gives each task its own virtual thread and limits how many tasks run simultaneously. The answer maps the limit, and
  * a function for exceptions of the tasks, to the context.
  */
object VirtualAtMost extends Cases[(Int, Throwable => Unit) => ExecutionContext]("10-virtual-at-most", 8.seconds) {
  trial("each task runs on its own virtual thread")(
    "Virtual threads are cheap, so nobody uses one twice. What starts a thread for a task?",
    "Call `Thread.startVirtualThread { () => … }` in `execute`, once for each task."
  ) { atMost =>
    val (n, seen, all) = (some(10, 20), new ConcurrentLinkedQueue[Thread], new CountDownLatch(20))
    val context = atMost(3, _ => ())
    (1 to n).foreach(_ => context.execute { () => seen.add(Thread.currentThread); all.countDown() })
    (n until 20).foreach(_ => all.countDown())
    reach(all)
    val ran = seen.asScala.toVector
    Seen(s"$n threads, $n of them virtual", s"${ran.distinct.size} threads, ${ran.count(_.isVirtual)} of them virtual")
  }
  trial("`execute` returns, however many tasks run and wait")(
    "Which thread waits for a place: the caller's, or the task's own? The caller may be an event loop.",
    "Start the thread first. It calls `acquire` before its task."
  ) { atMost =>
    val (most, n) = (some(2, 4), some(10, 20))
    withNaps(atMost(most, _ => ()), n) { naps =>
      Seen(s"$n submitted", s"${naps.handedOver} submitted")
    }
  }
  trial("as many tasks as the limit allows run simultaneously, no more and no fewer")(
    "One object counts for all tasks. Where is it created?",
    "Create a `Semaphore(most)` in the context, not in `execute`. Call `acquire` before the task, and `release` after it."
  ) { atMost =>
    val most = some(3, 7)
    withNaps(atMost(most, _ => ()), 4 * most)(naps => Seen(s"$most simultaneously", s"${naps.sleepers.settled(most)} simultaneously"))
  }
  trial("when they end, the others get their turn")("A task that ends makes room for one that waits.") { atMost =>
    val most = some(3, 7)
    withNaps(atMost(most, _ => ()), 4 * most) { naps =>
      naps.sleepers.settled(most)
      naps.sleepers.wake()
      Seen(s"${4 * most} ran", s"${Settle(4 * most, quiet = 2.seconds)(naps.ended.get)} ran")
    }
  }
  trial("a task that throws gives its place back, whatever it throws, and its exception goes to `report`")(
    "What runs after a task that throws? And does `NonFatal` match everything that a task can throw?",
    "`try task.run() catch { case thrown: Throwable => report(thrown) } finally permits.release()`."
  ) { atMost =>
    val (most, heard) = (some(2, 4), new ConcurrentLinkedQueue[Throwable])
    val context = atMost(most, thrown => { heard.add(thrown); () })
    val thrown = (1 to most).flatMap(_ => Seq(new Thrown, new ThrownError))
    thrown.foreach(one => context.execute(() => throw one))
    Settle(thrown.size, quiet = 1.second)(heard.size)
    val reported = thrown.count(one => heard.asScala.exists(_ eq one))
    val later = withNaps(context, 2 * most)(_.sleepers.settled(most))
    Seen(s"${thrown.size} reported, then $most simultaneously", s"$reported reported, then $later simultaneously")
      .hintIf(reported == 0 && !heard.isEmpty)(
        "`report` gets the very exception that the task threw, and not one that replaces or wraps it."
      )
  }

  /** Submits tasks that sleep until they are woken. */
  private final class Naps(context: ExecutionContext, tasks: Int) {
    private val handed = new AtomicInteger
    val (sleepers, ended) = (new Sleepers, new AtomicInteger)

    // On another thread, so that a context that blocks its caller doesn't block the case.
    onThread {
      (1 to tasks).foreach { _ =>
        context.execute { () => sleepers.sleep(); ended.incrementAndGet(); () }
        handed.incrementAndGet()
      }
    }
    def handedOver: Int = Settle(tasks, quiet = 1.second)(handed.get)
  }

  private def withNaps[T](context: ExecutionContext, tasks: Int)(use: Naps => T): T = {
    val naps = new Naps(context, tasks)
    try use(naps)
    finally naps.sleepers.wake()
  }

  // A wrong answer lets these escape, and its thread prints them. Without a stack trace, the printed lines are few.
  private final class Thrown extends ArithmeticException("thrown by the check, on purpose") with NoStackTrace
  private final class ThrownError extends StackOverflowError("thrown by the check, on purpose") with NoStackTrace
}

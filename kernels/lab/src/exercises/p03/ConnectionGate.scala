package lab.exercises

import java.util.concurrent.{ConcurrentLinkedQueue, ExecutorService, Executors, RejectedExecutionException}
import java.util.concurrent.atomic.AtomicInteger

import lab.machine.Settle

import scala.concurrent.duration._
import scala.util.Random

/** Write a gate for virtual threads. It limits how many are in the database to the number of connections, limits their wait, and always
  * gets its permits back. The answer maps connections and patience to a [[Gate]].
  */
object ConnectionGate extends Cases[(Int, FiniteDuration) => Gate]("03-gate", 8.seconds) {
  private val patient = 1.minute
  private val impatient = 100.millis

  trial("of many virtual threads, one for each connection is in the database")(
    "One object counts for all of them: a `Semaphore` that is created with the gate, not in `run`.",
    "Call `permits.acquire()` before the query and `permits.release()` after it."
  ) { gate =>
    val connections = size()
    val door = gate(connections, patient)
    door.run(() => 1) // an unwritten answer fails here
    withCrowd(3 * connections, door)(crowd => Seen(s"$connections inside", s"${crowd.settled(connections)} inside"))
  }
  trial("when the database answers, all get their turn, and the query's result")(
    "A query that ends makes room for a waiting one. And `run` returns what the query returned."
  ) { gate =>
    val (connections, n) = (size(), Random.nextInt(1000))
    val door = gate(connections, patient)
    val own = door.run(() => n)
    withCrowd(4 * connections, door) { crowd =>
      crowd.settled(connections)
      crowd.open()
      Seen(s"$n, ${4 * connections} answered", s"$own, ${Settle(4 * connections, 1.second)(crowd.answered.get)} answered")
    }
  }
  trial("a query that throws gives its permit back, and `run` throws the same")(
    "What runs after a query that throws, whatever it throws? Use `try … finally`."
  ) { gate =>
    val connections = size()
    val door = gate(connections, impatient)
    // An error, too, which `NonFatal` doesn't match.
    val both = (1 to connections).flatMap(_ => Seq(new ArithmeticException("on purpose"), new StackOverflowError("on purpose")))
    val cameOut = both.count(one => caught(door.run[Int](() => throw one)) == Left(one))
    val happened = s"$cameOut of ${both.size} came out, then ${name(caught(door.run(() => "fine")))}"
    Seen(s"${both.size} of ${both.size} came out, then fine", happened)
  }
  trial("a query that has waited for as long as `patience` is rejected with a RejectedExecutionException")(
    "A wait without a limit makes an unbounded queue. `Semaphore` has a method that waits for a given time at most, and returns whether it got a permit.",
    "`if (!permits.tryAcquire(patience.toMillis, MILLISECONDS)) throw new RejectedExecutionException(…)`."
  ) { gate =>
    val (connections, patience) = (size(), 700.millis)
    val door = gate(connections, patience)
    withCrowd(connections, door) { crowd =>
      crowd.settled(connections)
      val from = System.nanoTime
      val told = name(caught(door.run(() => "let in")))
      val early = (System.nanoTime - from).nanos < patience * 0.9 // Only a lower bound, so a loaded machine can't break it.
      Seen("RejectedExecutionException", if (early) s"$told, before its patience was over" else told)
    }
  }
  trial("a rejected query gives back no permit, because it had none")(
    "Each rejection makes your gate wider by one. Only those who got a permit may reach the `finally`.",
    "First call `tryAcquire`, and throw if it returns false. Only then: `try { query() } finally permits.release()`."
  ) { gate =>
    val connections = size()
    val door = gate(connections, impatient)
    withCrowd(connections, door) { crowd =>
      crowd.settled(connections)
      (1 to connections).foreach(_ => caught(door.run(() => "let in")))
      val late = caught(door.run(() => "let in"))
      Seen(s"$connections inside, another RejectedExecutionException", s"${crowd.inside} inside, another ${name(late)}")
    }
  }
  trial("a thread that is interrupted while it waits neither queries nor keeps a permit")(
    "An `InterruptedException` is no permit. It must leave `run` before the query. Does your code catch it?"
  ) { gate =>
    val connections = size()
    val door = gate(connections, patient)
    withCrowd(connections, door) { crowd =>
      crowd.settled(connections)
      val (told, queried) = (new ConcurrentLinkedQueue[Either[Throwable, Int]], new AtomicInteger)
      val waits = Thread.ofVirtual.start(() => { told.add(caught(door.run(() => queried.incrementAndGet()))); () })
      Settle(1, limit = 2.seconds)(if (Set("WAITING", "TIMED_WAITING")(waits.getState.name)) 1 else 0)
      waits.interrupt()
      waits.join(1000)
      crowd.open()
      crowd.left(connections)
      val heard = Option(told.peek).fold("nothing")(name)
      val later = withCrowd(connections + 2, door)(_.settled(connections))
      Seen(s"InterruptedException, 0 queries, then $connections inside", s"$heard, ${queried.get} queries, then $later inside")
    }
  }

  /** Returns a number that no default is likely to be. */
  private def size(): Int = some(3, 7)

  private def name(outcome: Either[Throwable, Any]): String = outcome match {
    case Left(_: RejectedExecutionException) => "RejectedExecutionException"
    case Left(other)                         => other.getClass.getSimpleName
    case Right(value)                        => s"$value"
  }

  /** Virtual threads, each of which runs a query that the database answers only after `open`. */
  private final class Crowd(threads: ExecutorService, people: Int, door: Gate) {
    private val sleepers = new Sleepers
    val (answered, gone) = (new AtomicInteger, new AtomicInteger)

    (1 to people).foreach { _ =>
      threads.execute { () =>
        if (caught(door.run { () => sleepers.sleep(); 1 }).isRight) answered.incrementAndGet()
        gone.incrementAndGet()
        ()
      }
    }
    def inside: Int = sleepers.asleep
    def settled(enough: Int): Int = sleepers.settled(enough, quiet = 500.millis)
    def open(): Unit = sleepers.wake()
    def left(most: Int): Int = Settle(most, quiet = 1.second)(gone.get)
  }

  private def withCrowd[T](people: Int, door: Gate)(use: Crowd => T): T = {
    val threads = Executors.newVirtualThreadPerTaskExecutor()
    val crowd = new Crowd(threads, people, door)
    try use(crowd)
    finally { crowd.open(); threads.shutdownNow(); () }
  }
}

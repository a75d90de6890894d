package lab.exercises

import lab.trace.{TaskSpan, Worker}

import scala.util.Random

/** Find the starved pool. The answer reads a timeline whose tasks are labelled with the name of their pool. */
object StarvedPool extends Cases[Seq[TaskSpan] => String]("07-starved-pool") {
  trial("the one whose tasks wait longest for a thread")(
    "A pool is starved if its tasks are ready and get no thread. How long a task runs, or how many tasks there are, doesn't matter.",
    "`queuedNanos` is how long a task waited for its thread. Compare what is usual in each pool, such as the median. A sum, or the unluckiest task, says less."
  )(guesses(_, never = 0))
  trial("even if its tasks never started")(
    "What is `queuedNanos` of a task that still waits? If you leave it out, you leave out the most starved tasks.",
    "A task that hasn't started has waited since `submittedNanos`. It waits at least until the latest moment of the timeline."
  )(guesses(_, never = 12))
  trial("and not the one whose tasks have only just come")(
    "Another pool's tasks haven't started either. But they came in the last moment of the timeline. How long have they waited?"
  )(guesses(_, never = 0, justCome = 10))

  /** Creates a timeline of three pools: a busy one with many short waits, one with long tasks, and a starved one. */
  def example(never: Int = 6): Seq[TaskSpan] = timeline(Random.shuffle(names).take(3), never)

  private val names = Seq("orders", "mail", "search", "reports", "images", "prices")
  private val millis = 1000000L

  /** Compares the answers for several timelines, so that a guess doesn't pass. */
  private def guesses(answer: Seq[TaskSpan] => String, never: Int, justCome: Int = 0): Seen = {
    val (starved, said) = Seq
      .fill(6) {
        val three = Random.shuffle(names).take(3)
        (three(2), answer(timeline(three, never, justCome)))
      }
      .unzip
    Seen(starved.mkString(", "), said.mkString(", "))
  }

  /** Creates a timeline. Many tasks of the busy pool wait briefly, and one for very long, so the sum of its waits is the longest. */
  private def timeline(pools: Seq[String], never: Int, justCome: Int = 0): Seq[TaskSpan] = {
    val unlucky = span(pools(0), Random.nextInt(100), Some(500 + Random.nextInt(100)), 5)
    val busy = unlucky +: Seq.fill(80)(span(pools(0), Random.nextInt(900), Some(30 + Random.nextInt(20)), 5 + Random.nextInt(10)))
    val fresh = Seq.fill(justCome)(span(pools(1), 1000 + Random.nextInt(5), None, 0))
    val long = Seq.fill(6)(span(pools(1), Random.nextInt(300), Some(Random.nextInt(20)), 400 + Random.nextInt(200)))
    val starved = Seq.fill(8)(span(pools(2), Random.nextInt(400), Some(150 + Random.nextInt(200)), 5 + Random.nextInt(10)))
    val waiting = Seq.fill(never)(span(pools(2), Random.nextInt(400), None, 0))
    // Most tasks of the starved pool never started. The others waited for less time than its neighbours' tasks run.
    val own = if (never > starved.size) waiting ++ starved.take(1).map(quick) else starved ++ waiting
    (busy ++ long ++ fresh ++ own).sortBy(_.submittedNanos)
  }

  private def quick(task: TaskSpan): TaskSpan =
    task.copy(startedNanos = Some(task.submittedNanos + 1), endedNanos = Some(task.submittedNanos + 5 * millis))

  private def span(pool: String, submitted: Int, queued: Option[Int], ran: Int): TaskSpan = {
    val started = queued.map(wait => (submitted + wait) * millis)
    val name = s"$pool-${1 + Random.nextInt(2)}"
    val worker = Option.when(queued.nonEmpty)(Worker(name, name.hashCode.toLong, virtual = false, spare = false))
    TaskSpan(pool, "caller", worker, submitted * millis, started, started.map(_ + ran * millis), Vector.empty, None)
  }
}

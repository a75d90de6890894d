package lab.exercises

import lab.Exercise._
import lab.{Exercise, TaskSpan, Worker}

import scala.util.Random

/** Which pool is starved? The answer reads a timeline: tasks, labelled with the name of their pool. */
object StarvedPool extends Exercise[Seq[TaskSpan] => String]("07-starved-pool") {

  def trials = Seq(
    Trial("the one whose tasks wait longest for a thread")(guesses(_, never = 0)),
    Trial("not the one with most tasks, nor with the longest ones")(guesses(_, never = 0)),
    Trial("also where its tasks never got to start")(guesses(_, never = 12))
  )

  def hints = Seq(
    "A pool is starved if its tasks are ready and get no thread. How long a task runs is another matter.",
    "`queuedNanos` is how long a task waited for its thread. What is it of a task that waits still?",
    "A task that hasn't started has waited since `submittedNanos` until now, and now is at least the latest moment in the timeline. Compare the pools by their median."
  )

  /** The timeline of three pools: a busy one with many short waits, one with long tasks, and a starved one. */
  def example(never: Int = 6): Seq[TaskSpan] = timeline(Random.shuffle(names).take(3), never)

  private val names = Seq("orders", "mail", "search", "reports", "images", "prices")
  private val millis = 1000000L

  /** Several timelines, so that a guess doesn't pass. */
  private def guesses(answer: Seq[TaskSpan] => String, never: Int): Seen = {
    val (starved, said) = Seq
      .fill(6) {
        val three = Random.shuffle(names).take(3)
        (three(2), answer(timeline(three, never)))
      }
      .unzip
    Seen(starved.mkString(", "), said.mkString(", "))
  }

  private def timeline(pools: Seq[String], never: Int): Seq[TaskSpan] = {
    val busy = Seq.fill(60)(span(pools(0), Random.nextInt(900), Some(Random.nextInt(4)), 5 + Random.nextInt(10)))
    val long = Seq.fill(6)(span(pools(1), Random.nextInt(300), Some(Random.nextInt(20)), 400 + Random.nextInt(200)))
    val starved = Seq.fill(8)(span(pools(2), Random.nextInt(400), Some(150 + Random.nextInt(200)), 5 + Random.nextInt(10)))
    val waiting = Seq.fill(never)(span(pools(2), Random.nextInt(400), None, 0))
    // Of the starved pool most tasks never started, and those that did waited for less than its neighbours run.
    val all = if (never > starved.size) busy ++ long ++ waiting ++ starved.take(1).map(quick) else busy ++ long ++ starved ++ waiting
    all.sortBy(_.submittedNanos)
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

package lab.exercises

import scala.util.Random

/** A stream that ends.
  *
  * @param everyMillis from one element to the next, at the source
  * @param workMillis  the blocking work for each, in ms
  * @param parallelism of `mapAsync`
  * @param threads     of the pool
  */
final case class Run(elements: Int, everyMillis: Double, workMillis: Double, parallelism: Int, threads: Int) {
  override def toString: String =
    f"$elements elements, one every $everyMillis%.1f ms, $workMillis%.0f ms of work, parallelism $parallelism, $threads threads"
}

/** Compute how long a stream takes. The answer maps it to milliseconds from the first element to the last result. The check computes it
  * element by element, and nothing runs.
  */
object TotalTime extends Cases[Run => Double]("08-total-time") {
  trial("all elements are there immediately, and the pool is the bottleneck")(
    "There are fewer threads than `parallelism`. How many elements are worked on simultaneously?",
    "The smaller of the two numbers is the limit: that many start, and the next ones start when they have ended. How many rounds is that? And does any time come on top?"
  ) { total =>
    val threads = some(3, 9)
    judge(total, Run(threads * some(4, 9), 0, millis(), 2 * threads + some(0, 90), threads))
  }
  trial("all elements are there immediately, and `parallelism` is the bottleneck")(
    "There are more threads than Futures in flight. What keeps the other threads busy?",
    "Nothing does. The smaller of `parallelism` and `threads` says how many elements are worked on simultaneously."
  ) { total =>
    val parallelism = some(3, 9)
    judge(total, Run(parallelism * some(4, 9), 0, millis(), parallelism, parallelism + some(1, 90)))
  }
  trial("the last round isn't full")(
    "Nine elements, four at a time: how many rounds?",
    "Rounds are whole: divide, and round up."
  ) { total =>
    val slots = some(4, 9)
    judge(total, Run(slots * some(4, 9) + some(1, slots - 1), 0, millis(), slots, slots + some(0, 9)))
  }
  trial("a slow source: each element finds a free thread")(
    "The work keeps up. When does the last element come, and how long does it still take?",
    "The last of n elements comes after n - 1 intervals. Then it takes its own time."
  ) { total =>
    val (slots, work) = (some(3, 9), millis())
    judge(total, Run(some(30, 90), work / slots * (1.2 + Random.nextDouble()), work, slots, slots + some(1, 9)))
  }
  trial("a source that is slow, but not slow enough")(
    "Write down when each of the first ten elements starts, with three at a time. Which one does the fourth wait for?",
    "An element starts when it is there, but not before an earlier element has ended: the one that came (number at a time) places earlier.",
    "Keep the ends in an array: `end(k) = max(k * every, end(k - slots)) + work`. The first `slots` elements wait for nothing."
  ) { total =>
    val (slots, work) = (some(4, 9), millis())
    val last = some(2, slots - 1) // the size of the last round, whose elements begin one interval after the other
    judge(total, Run(slots * some(4, 9) + last, work / slots * (0.3 + 0.4 * Random.nextDouble()), work, slots + some(1, 9), slots))
  }

  /** Computes when the last element has ended, from when each starts. */
  private def ended(run: Run): Double = {
    val (slots, ends) = (run.parallelism.min(run.threads), new Array[Double](run.elements))
    for (n <- 0 until run.elements) ends(n) = (n * run.everyMillis).max(if (n < slots) 0 else ends(n - slots)) + run.workMillis
    ends.last
  }

  private def judge(total: Run => Double, run: Run): Seen = {
    val (expected, said) = (ended(run), total(run))
    Seen(f"$expected%.1f ms", f"$said%.1f ms", math.abs(said - expected) < 0.01).of(s"$run")
  }

  private def millis(): Double = some(20, 200).toDouble
}

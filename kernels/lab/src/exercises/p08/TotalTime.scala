package lab.exercises

import scala.util.Random

/** A stream that ends.
  *
  * @param everyMillis from one element to the next, at the source
  * @param workMillis  of blocking work for each
  * @param parallelism of `mapAsync`
  * @param threads     of the pool
  */
final case class Run(elements: Int, everyMillis: Double, workMillis: Double, parallelism: Int, threads: Int) {
  override def toString: String =
    f"$elements elements, one each $everyMillis%.1f ms, $workMillis%.0f ms of work, parallelism $parallelism, $threads threads"
}

/** How long does a stream take? The answer maps it to milliseconds from the first element to the last result. Worked out, element by
  * element; nothing runs.
  */
object TotalTime extends Cases[Run => Double]("08-total-time") {
  trial("all are there at once, and the pool is the narrower place")(
    "Fewer threads than `parallelism`: how many elements are worked on at the same time?",
    "As many as the smaller of the two numbers allows: so many begin, and the next ones when they have ended. How many rounds is that, and does anything come on top?"
  ) { total =>
    val threads = some(3, 9)
    judge(total, Run(threads * some(4, 9), 0, millis(), 2 * threads + some(0, 90), threads))
  }
  trial("all are there at once, and `parallelism` is the narrower place")(
    "More threads than Futures under way: who keeps the others busy?",
    "Nobody does. The smaller of `parallelism` and `threads` says how many are worked on at the same time."
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
    "The work keeps up. When does the last element come, and what is left to do then?",
    "The last of n elements comes after n - 1 intervals, and takes its own time from there."
  ) { total =>
    val (slots, work) = (some(3, 9), millis())
    judge(total, Run(some(30, 90), work / slots * (1.2 + Random.nextDouble()), work, slots, slots + some(1, 9)))
  }
  trial("a source that is slow, but not slow enough")(
    "Write down when each of the first ten elements begins, with three at a time. Which one does the fourth wait for?",
    "An element begins when it is there, and not before the one that came (number at a time) earlier has ended.",
    "Keep the ends in an array: `end(k) = max(k * every, end(k - slots)) + work`, where the first `slots` wait for nobody."
  ) { total =>
    val (slots, work) = (some(4, 9), millis())
    val last = some(2, slots - 1) // so many are in the last round, one interval after the other
    judge(total, Run(slots * some(4, 9) + last, work / slots * (0.3 + 0.4 * Random.nextDouble()), work, slots + some(1, 9), slots))
  }

  /** When the last one has ended, from when each begins. */
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

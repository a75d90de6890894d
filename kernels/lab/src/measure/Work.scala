package lab.measure

import java.lang.management.ManagementFactory.getThreadMXBean
import java.util.concurrent.ConcurrentHashMap

import lab.show.{ProgressLine, Say}

import scala.concurrent.duration._
import scala.util.Random

/** Work that takes a given CPU time of the thread that runs it, however busy the machine is and however many threads share its CPUs.
  * Calibration finds the amount of work, which then stays the same. If memory is slower to reach, the same amount takes longer.
  *
  * The work follows a chain of places through a table in memory. Each step needs the result of the step before it, so neither a compiler
  * nor a CPU can make it faster by working ahead. What remains is the time to reach the memory.
  *
  * {{{
  * val work = Work.calibrated()   // shows what it proved; a few seconds
  * work(4.millis)                 // computes on the calling thread
  * Claim("A8", …).provided(work.proof).grade(…)
  * }}}
  *
  * @param proof what work of known length really took; if it failed, nothing that rests on this work may be judged
  */
final class Work private (table: () => Array[Int], stepsPerMilli: Double, val proof: Proof) {

  /** Computes on the calling thread until work worth `time` of CPU time is done. Any number of threads may call it simultaneously. */
  def apply(time: FiniteDuration): Unit = {
    val end = Work.walk(table(), (stepsPerMilli * time.toNanos / 1e6).toLong)
    if (end < 0) throw new AssertionError("a chain of places left its table") // uses the result, so that no compiler can drop the walk
  }

  override def toString: String = s"work, ${Say.number(stepsPerMilli)} steps a millisecond: $proof"
}

object Work {

  /** Finds out how much work this machine does in a millisecond. It warms up until it gets no faster, checks itself with work of 1, 4 and
    * 20 ms, and shows the result. If the check fails, it starts again, with at most three attempts. Takes a few seconds.
    *
    * @param memoryKiB how much memory each thread walks through. Up to 16 KiB, the table fits into the nearest cache, and all threads share
    *                  it. Above that, each thread has its own table, so that a switch between threads costs what caches cost
    * @throws java.lang.IllegalArgumentException unless `memoryKiB` is between 1 and 65,536
    */
  def calibrated(memoryKiB: Int = 16): Work = {
    if (memoryKiB < 1 || memoryKiB > 65536) throw new IllegalArgumentException(s"1 to 65,536 KiB can be walked through, not $memoryKiB")
    val line = new ProgressLine("Work")
    line.say("warming up")
    val table = tables.computeIfAbsent(memoryKiB, tableOf(_))
    val work =
      if (!getThreadMXBean.isCurrentThreadCpuTimeSupported) new Work(table, 1e5, Proof.failed("this JVM reports no thread's CPU time"))
      else {
        def attempt(): Work = {
          val stepsPerMilli = calibrate(table)
          line.say("proving")
          new Work(table, stepsPerMilli, prove(new Work(table, stepsPerMilli, Proof.failed("not proven yet"))))
        }
        // A neighbour that comes or goes during an attempt spoils it, so calibration starts again.
        val attempts = LazyList.continually(attempt()).take(attemptsAtMost)
        attempts.find(_.proof.passed).getOrElse(attempts.last)
      }
    line.say(s"${work.proof}, in ${line.time}")
    work
  }

  /** The tables by their size in KiB. A page that runs again has the same, because its session keeps the work of each run. */
  private val tables = new ConcurrentHashMap[Int, () => Array[Int]]

  private def tableOf(memoryKiB: Int): () => Array[Int] = {
    val shared = chain(memoryKiB)
    if (memoryKiB <= 16) () => shared
    else {
      val own = ThreadLocal.withInitial[Array[Int]](() => shared.clone)
      () => own.get
    }
  }

  private val attemptsAtMost = 3

  /** The house rule for instruments: ± 20 %. */
  private val tolerance = 0.2

  /** The CPU time of the calling thread, in ns. */
  private def cpuNanos: Long = getThreadMXBean.getCurrentThreadCpuTime

  private def cpuTime(body: => Unit): Long = { val from = cpuNanos; body; cpuNanos - from }

  private def calibrate(table: () => Array[Int]): Double = {
    val steps = 500000L
    var (fastest, since, sink) = (Long.MaxValue, System.nanoTime, 0)
    val limit = 10.seconds.fromNow
    // It is warm when nothing has become faster for half a second.
    while (System.nanoTime - since < 500.millis.toNanos && limit.hasTimeLeft()) {
      val took = cpuTime { sink += walk(table(), steps) }
      if (took < 0.97 * fastest) { fastest = took; since = System.nanoTime }
    }
    val times = onThreads(15) {
      sink += walk(table(), steps) // by now the thread has its own table, in its cache
      cpuTime { sink += walk(table(), steps) }
    }
    if (sink < 0) throw new AssertionError("a chain of places left its table")
    steps * 1e6 / median(times).max(1)
  }

  /** Returns what each of `count` new threads measured, one after the other. Which of its pages a table's thread finds in a cache depends on
    * where they happen to lie, so one table would not stand for all.
    */
  private def onThreads(count: Int)(measure: => Long): Seq[Long] = Seq.fill(count) {
    var took = 0L
    val thread = new Thread(() => took = measure, "work")
    thread.setDaemon(true)
    thread.start()
    thread.join()
    took
  }

  /** Checks a calibration with this result, for tests. */
  private[measure] def proved(stepsPerMilli: Double): Proof = {
    val table = chain(16)
    prove(new Work(() => table, stepsPerMilli, Proof.failed("not proven yet")))
  }

  private def prove(work: Work): Proof = {
    val asked = Seq(1.milli, 4.millis, 20.millis)
    // On threads of their own, as a pool's threads would do it.
    val took = asked.map { time =>
      median(onThreads(9) {
        work(4.millis) // by now the thread has its own table, in its cache
        cpuTime(work(time))
      }) / 1e6
    }
    val words = asked.zip(took).map { case (time, millis) => s"${time.toMillis} ms took ${Estimate.digits(millis)}" }.mkString(", ")
    val off = asked.zip(took).exists { case (time, millis) => math.abs(millis / time.toMillis - 1) > tolerance }
    if (off) Proof.failed(s"work isn't as long as it should be: $words ms of CPU time, more than 20 % off")
    else Proof.passed(words)
  }

  private def median(values: Seq[Long]): Long = values.sorted.apply(values.size / 2)

  /** Follows the chain for `steps` steps and returns where it ends. */
  private[measure] def walk(next: Array[Int], steps: Long): Int = {
    var (at, left) = (0, steps)
    while (left > 0) { at = next(at); left -= 1 }
    at
  }

  /** Builds a chain that visits every place once, without a pattern, and returns to the first (Sattolo's algorithm). No prefetcher can
    * guess it.
    */
  private[measure] def chain(memoryKiB: Int): Array[Int] = {
    val (places, random) = (Array.range(0, memoryKiB * 1024 / 4), new Random(1))
    for (last <- places.length - 1 to 1 by -1) {
      val other = random.nextInt(last)
      val kept = places(last)
      places(last) = places(other)
      places(other) = kept
    }
    places
  }
}

/** The result of checking an instrument before it is used. */
final case class Proof(passed: Boolean, words: String) {
  override def toString: String = words
}

object Proof {

  /** Builds the proof that the instrument works; `words` say how that was seen. */
  def passed(words: String): Proof = Proof(passed = true, words)

  /** Builds the proof that the instrument doesn't work, or that nobody can tell. Nothing that rests on the instrument is judged. */
  def failed(why: String): Proof = Proof(passed = false, why)
}

package lab.magic.jmh

import lab.results.{JmhResults, JmhScore}
import lab.show.{ProgressLine, Say}

import scala.concurrent.duration._

/** The line under the cell that shows progress and the time that is left. Used from the cell's thread. */
private[jmh] final class RunLine {
  private val line = new ProgressLine("%%jmh")
  private var progress = Option.empty[BenchmarkProgress]
  private var where = ""
  private var heardAt = System.nanoTime
  private var planned = Option.empty[FiniteDuration]
  private var (index, runs) = (0, 1)

  /** Returns the line for the time before JMH runs. */
  def compiling: ProgressLine = line

  /** Begins the run `index` of `runs`, which `name` distinguishes from the others. */
  def begin(name: Option[String], index: Int, runs: Int): Unit = {
    where = name.fold("")(_ + ": ")
    this.index = index
    this.runs = runs
    progress = None
  }

  def hear(next: BenchmarkProgress): Unit = {
    if (progress.forall(_.leftMillis != next.leftMillis)) heardAt = System.nanoTime
    progress = Some(next)
    planned = planned.orElse(Some(next.leftMillis.millis))
    tick()
  }

  def tick(): Unit = put(where + RunLine.place(progress), RunLine.prospect(left, late))

  def done(results: JmhResults, disturbed: Seq[String]): Unit = {
    begin(None, 1, 1)
    val measured = s"${Say.count(results.scores.size, "benchmark")} measured in ${RunLine.seconds(line.elapsed)}"
    put((measured +: disturbed).mkString("; "), "")
  }

  private def left: Option[FiniteDuration] = planned.map { all =>
    (-late).max(Duration.Zero) + all * (runs - index - 1).toLong
  }

  /** Returns by how much this run has exceeded the time that JMH last planned for it. Negative if there is time left. */
  private def late: FiniteDuration =
    progress.fold(-planned.getOrElse(Duration.Zero))(at => (System.nanoTime - heardAt).nanos - at.leftMillis.millis)

  private def put(words: String, more: String): Unit = line.say(words + more, Some((index + progress.fold(0.0)(_.share)) / runs))
}

private[jmh] object RunLine {

  /** Describes what is to be expected. JMH waits without end for a call that doesn't return, so the reader has to decide. */
  def prospect(left: Option[FiniteDuration], late: FiniteDuration): String =
    if (late > patience) s", ${seconds(late)} longer than planned. If a call never returns, interrupt the cell (■)."
    else left.fold("")(time => s", about ${seconds(time)} left")

  /** At first, a fork's start isn't planned. It takes seconds if other programs use the CPUs. */
  private val patience = 15.seconds

  def seconds(time: FiniteDuration): String =
    if (time < 90.seconds) s"${time.toSeconds} s" else s"${time.toSeconds / 60} min ${time.toSeconds % 60} s"

  /** Describes where the run is: "Futures.global (n=100), fork 1 of 3, iteration 2 of 5 done". */
  def place(progress: Option[BenchmarkProgress]): String = progress.fold("JMH starts") { at =>
    val name = JmhScore.shortName(at.benchmark) + (if (at.params.isEmpty) "" else s" (${at.params})")
    val fork = Option.when(at.fork > 0)(s"fork ${at.fork} of ${at.forks}")
    val phase = if (at.warmUp) "warm-up" else "iteration"
    (name +: (fork ++ Option.when(at.iteration > 0)(s"$phase ${at.iteration} of ${at.iterations} done")).toSeq).mkString(", ")
  }
}

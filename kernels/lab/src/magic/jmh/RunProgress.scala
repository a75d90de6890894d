package lab.magic.jmh

import lab.results.JmhScore

import scala.concurrent.duration._

/** Where a run of JMH is, read from what it prints. */
private[jmh] final case class RunProgress(
    benchmark: String = "",
    params: String = "",
    fork: String = "",
    iteration: String = "",
    iterations: Map[Boolean, String] = Map.empty,
    percent: Double = 0,
    left: Option[FiniteDuration] = None
) {

  def see(line: String): RunProgress = line match {
    case RunProgress.Run(done, hours, minutes, seconds) =>
      copy(percent = done.replace(',', '.').toDouble, left = Some(hours.toInt.hours + minutes.toInt.minutes + seconds.toInt.seconds))
    case RunProgress.Benchmark(name)        => copy(benchmark = JmhScore.shortName(name), params = "", fork = "", iteration = "")
    case RunProgress.Parameters(values)     => copy(params = values.replace(" = ", "="))
    case RunProgress.Fork(warmup, number)   => copy(fork = s"${if (warmup == null) "" else "warm-up "}fork $number", iteration = "")
    case RunProgress.Planned(phase, number) => copy(iterations = iterations.updated(phase == "Warmup", number))
    case RunProgress.Iteration(warmup, number) =>
      val many = iterations.get(warmup != null).fold("")(" of " + _)
      copy(iteration = s"${if (warmup == null) "iteration" else "warm-up"} $number$many done")
    case _ => this
  }

  /** "Futures.global (n=100), fork 1 of 3, iteration 2 of 5 done". */
  def place: String =
    if (benchmark.isEmpty) "JMH starts"
    else Seq(benchmark + (if (params.isEmpty) "" else s" ($params)"), fork, iteration).filter(_.nonEmpty).mkString(", ")
}

private[jmh] object RunProgress {
  private val Run = """# Run progress: ([\d.,]+)% complete, ETA (\d+):(\d+):(\d+)""".r
  private val Benchmark = "# Benchmark: (\\S+)".r
  private val Parameters = """# Parameters: \((.*)\)""".r
  private val Fork = "# (Warmup )?Fork: (\\d+ of \\d+)".r
  private val Planned = "# (Warmup|Measurement): (\\d+) iterations.*".r
  private val Iteration = "(?:# (Warmup) )?Iteration +(\\d+): .*".r
}

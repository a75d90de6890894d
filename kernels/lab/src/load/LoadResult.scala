package lab.load

import org.HdrHistogram.Histogram

import lab.chart.{Chart, Latencies}
import lab.show.{Say, Table}

/** The result of a [[Load]]. It is immutable, and only has calls that were due after the warm-up.
  *
  * @param name         the name of what was loaded, for charts and tables
  * @param load         the load in words
  * @param sent         the calls that were made; each was answered, failed or timed out
  * @param answered     the calls whose Future succeeded in time
  * @param errors       the number of failures, by the exception's class
  * @param timeOuts     the number of calls without an answer in time
  * @param elapsedNanos from the end of the warm-up to the last answer, but at least the time of the run
  * @param latency      from the moment when a call was ''due'' to its answer. Time-outs enter with the time-out, and errors don't enter
  * @param lag          how late the generator made each call. It is empty for a closed loop, whose calls are never due at a given moment
  */
final class LoadResult(
    val name: String,
    val load: String,
    val sent: Long,
    val answered: Long,
    val errors: Map[String, Long],
    val timeOuts: Long,
    val elapsedNanos: Long,
    val latency: Latencies,
    val lag: Latencies
) {

  /** Returns the answers that came in time, per second of [[elapsedNanos]]. */
  def answersPerSecond: Double = answered * 1e9 / elapsedNanos

  /** Returns a warning if the generator itself was so late that it shows in the latencies: if its p99 is above 1 ms and above a quarter of
    * the latencies' p99.
    */
  def warning: Option[String] = LoadResult.late(Seq(this))

  /** Describes the result in one line, with the generator's warning if there is one. */
  def summary: String = (Seq(counted) ++ warning).mkString("; ")

  /** Describes the result in one line, without the warning. */
  private[load] def counted: String = {
    val kinds = errors.toSeq.sortBy(-_._2).map { case (kind, n) => s"$n × $kind" }.mkString(", ")
    Seq(
      Some(s"$name, $load: ${Say.number(answersPerSecond)} answers/s"),
      Option.when(latency.count > 0)(latency.summary),
      Option.when(errors.nonEmpty)(s"${Say.count(errors.values.sum.toInt, "error")} ($kinds)"),
      Option.when(timeOuts > 0)(s"$timeOuts timed out")
    ).flatten.mkString("; ")
  }

  /** Shows counts, answers per second and percentiles in one row. */
  def table: Table = LoadResult.table(Seq(this))

  /** Draws the percentile curve under the running cell. */
  def show(): Unit = LoadResult.chart(summary, Seq(this)).show()

  override def toString: String = summary
}

object LoadResult {

  /** Returns the warning of the result whose generator was latest; `None` if none has a warning. */
  private[load] def late(results: Seq[LoadResult]): Option[String] = {
    def late(result: LoadResult): Long = result.lag.percentileNanos(99)
    results.filter(result => late(result) > 1000000L && late(result) > result.latency.percentileNanos(99) / 4).maxByOption(late).map {
      result =>
        s"some calls left ${Say.nanos(late(result))} late, which counts as latency: your machine was busy, or a call didn't return immediately"
    }
  }

  /** Compares the results in a table. */
  private[load] def table(results: Seq[LoadResult]): Table = Table(
    "Latencies (time-outs included, errors not)",
    Seq("run", "load", "answered", "errors", "timed out", "answers/s", "p50", "p95", "p99", "max", "generator late by (p99)"),
    results.map { result =>
      val at = (percent: Double) => if (result.latency.count == 0) "–" else Say.nanos(result.latency.percentileNanos(percent))
      Seq(
        result.name,
        result.load,
        result.answered.toString,
        result.errors.values.sum.toString,
        result.timeOuts.toString,
        Say.number(result.answersPerSecond),
        at(50),
        at(95),
        at(99),
        at(100),
        if (result.lag.count == 0) "–" else Say.nanos(result.lag.percentileNanos(99))
      )
    }
  )

  /** Draws percentile curves of several results, with their table. */
  private[load] def chart(title: String, results: Seq[LoadResult]): Chart =
    Chart.percentiles(title)(results.map(result => result.name -> result.latency)).copy(table = table(results))
}

/** The counts of a running load. It is thread-safe. */
private final class LoadRecord {
  private val latency, lag = new Histogram(3)
  private var all, good, late = 0L
  private var lastNanos = Long.MinValue
  private var errors = Map.empty[String, Long].withDefaultValue(0L)

  def sent(lateBy: Option[Long]): Unit = synchronized {
    all += 1
    lateBy.foreach(nanos => lag.recordValue(math.max(0L, nanos)))
  }
  def answered(nanos: Long, now: Long): Unit = synchronized {
    good += 1
    lastNanos = now
    latency.recordValue(nanos)
  }
  def failed(cause: Throwable): Unit = synchronized { errors += cause.getClass.getName -> (errors(cause.getClass.getName) + 1) }
  def timedOut(after: Long): Unit = synchronized {
    late += 1
    latency.recordValue(after)
  }

  def counts: String = synchronized {
    val p99 = if (latency.getTotalCount == 0) "" else s", p99 so far ${Say.nanos(latency.getValueAtPercentile(99))}"
    s"$all sent, $good answered, ${errors.values.sum} failed, $late timed out$p99"
  }

  def result(name: String, load: String, fromNanos: Long, atLeast: Long): LoadResult = synchronized {
    val elapsed = if (good == 0) atLeast else math.max(atLeast, lastNanos - fromNanos)
    new LoadResult(name, load, all, good, errors.toMap, late, elapsed, Latencies.of(latency), Latencies.of(lag))
  }
}

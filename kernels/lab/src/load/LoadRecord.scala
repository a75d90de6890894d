package lab.load

import org.HdrHistogram.Histogram

import lab.chart.Latencies
import lab.show.Say

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

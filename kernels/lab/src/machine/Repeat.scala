package lab.machine

import java.util.concurrent.{Executors, TimeUnit}

import scala.concurrent.duration._

/** Does something again and again, at equal distances, until it is closed. */
object Repeat {

  /** Calls `body` on a daemon thread of its own: first after `first`, then every `every`, whether or not what it began is done.
    *
    * {{{
    * Using.resource(Repeat(first = 100.millis, every = 1.second)(ask()))(_ => load.run("with reports")(call))
    * }}}
    *
    * @return what ends it; when that is closed, no call is under way any more
    * @throws java.lang.IllegalArgumentException if `every` isn't above zero or `first` is below
    */
  def apply(first: FiniteDuration, every: FiniteDuration)(body: => Unit): AutoCloseable = {
    if (every <= Duration.Zero || first < Duration.Zero)
      throw new IllegalArgumentException(s"repeats are at distances above zero and begin from now on, not first = $first, every = $every")
    val clock = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform.daemon.name("repeat").factory)
    clock.scheduleAtFixedRate(() => body, first.toNanos, every.toNanos, TimeUnit.NANOSECONDS)
    () => clock.close()
  }
}

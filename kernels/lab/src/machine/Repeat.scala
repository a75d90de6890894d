package lab.machine

import java.util.concurrent.{Executors, TimeUnit}

import scala.concurrent.duration._

/** Repeats an action at a fixed rate until it is closed. */
object Repeat {

  /** Calls `body` on a new daemon thread, first after `first`, then every `every`, whether or not what it began is done.
    *
    * {{{
    * Using.resource(Repeat(first = 100.millis, every = 1.second)(ask()))(_ => load.run("with reports")(call))
    * }}}
    *
    * @return a handle that ends it. When `close` returns, no call is running any more
    * @throws java.lang.IllegalArgumentException if `every` isn't above zero or `first` is below
    */
  def apply(first: FiniteDuration, every: FiniteDuration)(body: => Unit): AutoCloseable = {
    if (every <= Duration.Zero || first < Duration.Zero)
      throw new IllegalArgumentException(s"every must be above zero and first 0 or more, not first = $first, every = $every")
    val clock = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform.daemon.name("repeat").factory)
    clock.scheduleAtFixedRate(() => body, first.toNanos, every.toNanos, TimeUnit.NANOSECONDS)
    () => clock.close()
  }
}

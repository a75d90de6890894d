package lab.exercises

import lab.Exercise._
import lab.{Exercise, PoolSpec}

import scala.collection.mutable
import scala.util.Random

/** Design: pools for a service that answers users and writes exports. The answer maps CPUs, exports per second and seconds per export to
  * pools, each with the kinds of tasks that it takes: `lookup` and `checkout` (short, a user waits), `export` (long, nobody waits). Minutes
  * of its life are simulated, first come first served in each pool, with random arrivals; nothing really runs, so no clock decides.
  */
object KeepUp extends Exercise[(Int, Double, Double) => Seq[PoolSpec]]("02-keep-up") {
  private type Answer = (Int, Double, Double) => Seq[PoolSpec]
  private val short = Seq("lookup" -> (100.0, 0.001), "checkout" -> (40.0, 0.004))
  private val kinds = short.map(_._1) :+ "export"

  private final case class Service(cpus: Int, perSecond: Double, seconds: Double) {
    def pools(layout: Answer): Seq[PoolSpec] = {
      val pools = layout(cpus, perSecond, seconds)
      pools.map(_.threads).find(_ < 1).foreach { threads =>
        throw new IllegalArgumentException(s"a pool of $threads threads; at least 1 was expected")
      }
      pools
    }
    override def toString: String = f"$cpus CPUs, $perSecond%.1f exports a second of $seconds%.2f s"
  }

  def trials = Seq(
    Trial("each kind of task has one pool") { layout =>
      Layout.onePoolEach(kinds, services().head.pools(layout))
    },
    Trial("all pools together have no more threads than there are CPUs") { layout =>
      val all = services()
      val threads = all.map(_.pools(layout).map(_.threads).sum)
      Seen(
        s"at most ${all.map(_.cpus).mkString(" and ")}",
        threads.mkString(" and "),
        all.zip(threads).forall { case (one, sum) => sum <= one.cpus }
      )
    },
    Trial("of a hundred lookups 99 wait for less than 20 ms") { layout =>
      each(services())(service => percentile(waits(service, "lookup", layout), 0.99), "less than 20 ms", _ < 0.02)
    },
    Trial("of a hundred checkouts too") { layout =>
      each(services())(service => percentile(waits(service, "checkout", layout), 0.99), "less than 20 ms", _ < 0.02)
    },
    Trial("the exports keep up: those of the last minute wait no longer than ten seconds") { layout =>
      each(services())(service => waits(service, "export", layout).takeRight((60 * service.perSecond).toInt).max, "at most 10 s", _ <= 10)
    }
  )

  def hints = Seq(
    "Who stands in one queue shares its waits. Which kinds may, and which may not?",
    "How many threads do the exports keep busy on average? So many arrive a second, and each holds a thread for so long.",
    "The exports need more threads than `perSecond * seconds`, so at least one more than its whole part; `lookup` and `checkout` share what is left of the CPUs."
  )

  /** Three services of which no two need the same: exports that keep one, two and three threads busy, and more. */
  private def services(): Seq[Service] = Random.shuffle(Seq(1, 2, 3)).map { whole =>
    val seconds = 0.2 + Random.nextDouble() * 0.2
    Service(whole + 2 + Random.nextInt(2), (whole + 0.2 + Random.nextDouble() * 0.5) / seconds, seconds)
  }

  private def each(services: Seq[Service])(measure: Service => Double, expected: String, fine: Double => Boolean): Seen = {
    val seen = services.map(service => (service, measure(service)))
    val waited = seen.map { case (service, value) => f"${value * 1000}%.1f ms ($service)" }.mkString("; ")
    Seen(expected, waited, seen.forall { case (_, value) => fine(value) })
  }

  private def percentile(values: Seq[Double], share: Double): Double = values.sorted.apply((values.size * share).toInt)

  /** How long the tasks of `kind` wait, in seconds, in five minutes: each begins when the first thread of its pool is free. */
  private def waits(service: Service, kind: String, layout: Answer): Seq[Double] = {
    val pool =
      service.pools(layout).find(_.kinds(kind)).getOrElse(throw new IllegalArgumentException(s"no pool takes the kind `$kind`"))
    val load = (short :+ ("export" -> ((service.perSecond, service.seconds)))).filter { case (name, _) => pool.kinds(name) }
    val arrivals = load.flatMap { case (name, (perSecond, seconds)) => times(perSecond).map((_, name, seconds)) }.sortBy(_._1)
    val free = mutable.PriorityQueue.fill(pool.threads)(0.0)(Ordering[Double].reverse)
    val waited = Seq.newBuilder[Double]
    for ((arrived, name, seconds) <- arrivals) {
      val begins = math.max(arrived, free.dequeue())
      free.enqueue(begins + seconds)
      if (name == kind) waited += begins - arrived
    }
    waited.result()
  }

  private def times(perSecond: Double): Seq[Double] =
    Iterator.iterate(gap(perSecond))(_ + gap(perSecond)).takeWhile(_ < 300).toVector

  private def gap(perSecond: Double): Double = -math.log(1 - Random.nextDouble()) / perSecond
}

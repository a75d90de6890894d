package lab.exercises

import lab.page.PoolSpec

import scala.util.Random

/** A service that writes `perSecond` exports a second, each of which takes `seconds`. */
final case class Exporter(cpus: Int, perSecond: Double, seconds: Double) {
  override def toString: String = f"$cpus CPUs, $perSecond%.1f exports a second of $seconds%.2f s"
}

/** Design: pools for a service that answers users and writes exports. The answer maps it to pools, each with the kinds of tasks that it
  * takes: `lookup` and `checkout` (short, a user waits) and `export` (long, nobody waits). [[Replay]] computes minutes of such a service
  * with random arrivals, and nothing runs.
  */
object KeepUp extends Cases[Exporter => Seq[PoolSpec]]("02-keep-up", Cases.workedOut) {
  private val short = Seq("lookup" -> (100.0, 0.001), "checkout" -> (40.0, 0.004))
  private val kinds = short.map(_._1) :+ "export"

  trial("each kind of task has one pool")("Each of the three kinds is in the set of exactly one `PoolSpec`, spelt as in the text.") {
    layout =>
      TriedPools.onePoolEach(kinds, pools(services().head, layout))
  }
  trial("all pools together have no more threads than there are CPUs")(
    "A thread of one pool is missing in the others: the sum of all pools' threads is at most `cpus`."
  ) { layout =>
    val all = services()
    val threads = all.map(pools(_, layout).map(_.threads).sum)
    Seen(
      s"at most ${all.map(_.cpus).mkString(" and ")}",
      threads.mkString(" and "),
      all.zip(threads).forall { case (one, sum) => sum <= one.cpus }
    )
  }
  trial("99 in 100 lookups wait for less than 20 ms")(
    "Tasks in one queue wait for each other. Which tasks may a lookup queue behind, and which not?"
  ) { layout =>
    each(services())(service => Replay.percentile(waits(service, "lookup", layout), 0.99), "less than 20 ms", _ < 0.02)
  }
  trial("99 in 100 checkouts do, too")("A user also waits for a checkout. Does it queue behind a task that takes a fraction of a second?") {
    layout =>
      each(services())(service => Replay.percentile(waits(service, "checkout", layout), 0.99), "less than 20 ms", _ < 0.02)
  }
  trial("the exports keep up: those of the last minute wait for at most ten seconds")(
    "How many threads do the exports keep busy on average? Multiply how many arrive a second by how long each occupies a thread.",
    "Exports need more threads than `perSecond * seconds`, so at least its whole part plus one. `lookup` and `checkout` share what is left of the CPUs."
  ) { layout =>
    each(services())(service => waits(service, "export", layout).takeRight((60 * service.perSecond).toInt).max, "at most 10 s", _ <= 10)
  }

  /** Three services, no two of which need the same. Their exports keep a little more than one, two and three threads busy, so rounding the
    * number down is as wrong for one as rounding it up is for another. One of the services has no CPU to spare.
    */
  private def services(): Seq[Exporter] = {
    val more = Random.shuffle(Seq(0.25, 0.4, 0.65))
    val spare = Random.shuffle(Seq(0, 1, 1))
    Random.shuffle(Seq(1, 2, 3).zip(more.zip(spare))).map { case (whole, (part, free)) =>
      val seconds = 0.2 + Random.nextDouble() * 0.2
      Exporter(whole + 2 + free, (whole + part + Random.nextDouble() * 0.05) / seconds, seconds)
    }
  }

  private def each(services: Seq[Exporter])(measure: Exporter => Double, expected: String, fine: Double => Boolean): Seen = {
    val seen = services.map(service => (service, measure(service)))
    val waited = seen.map { case (service, value) => f"${value * 1000}%.1f ms ($service)" }.mkString("; ")
    Seen(expected, waited, seen.forall { case (_, value) => fine(value) })
  }

  private def pools(service: Exporter, layout: Exporter => Seq[PoolSpec]): Seq[PoolSpec] = {
    val pools = layout(service)
    pools.map(_.threads).find(_ < 1).foreach { threads =>
      throw new IllegalArgumentException(s"a pool of $threads threads; at least 1 was expected")
    }
    pools
  }

  /** Returns how long each task of `kind` waits during five minutes, in seconds. */
  private def waits(service: Exporter, kind: String, layout: Exporter => Seq[PoolSpec]): Seq[Double] = {
    val pool =
      pools(service, layout).find(_.kinds(kind)).getOrElse(throw new IllegalArgumentException(s"no pool takes the kind `$kind`"))
    val load = (short :+ ("export" -> ((service.perSecond, service.seconds)))).filter { case (name, _) => pool.kinds(name) }
    val tasks =
      load.flatMap { case (name, (perSecond, seconds)) => Replay.arrivals(perSecond, 0, 300).map(at => (at, name, seconds)) }.sortBy(_._1)
    val fates = Replay(pool.threads)(tasks.map { case (at, _, seconds) => Replay.Request(at, _ => seconds) })
    tasks.zip(fates).collect { case ((_, `kind`, _), fate) => fate.waited }
  }
}

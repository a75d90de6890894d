package lab.exercises

import lab.exercises.Replay.ms

import scala.util.Random

/** Design: how large is each service's connection pool if they share the connections of one database? The answer maps their number and the
  * services to the pool size for each name. [[Replay]] computes minutes of such services, and nothing runs.
  */
object ConnectionBudget extends Cases[(Int, Seq[DatabaseClient]) => Map[String, Int]]("03-budget", Cases.workedOut) {
  trial("each service has a pool of at least one connection")(
    "The result needs an entry for each service's name. The number is the pool size of one instance, not of all instances together."
  ) { budget =>
    val services = three()
    val sizes = budget(1000, services)
    Seen(
      services.map(one => s"${one.name} at least 1").mkString(", "),
      services.map(one => s"${one.name} ${sizes.get(one.name).fold("–")(_.toString)}").mkString(", "),
      services.forall(one => sizes.get(one.name).exists(_ >= 1)) && sizes.size == services.size
    )
  }
  trial("there are enough connections: in the last of five minutes a query waits for less time, on average, than it takes")(
    "How many queries of one instance are in flight simultaneously? It gets its share of the requests a second, and each query occupies a connection for `queryMillis`.",
    "Little's law for one instance: perSecond / instances × queryMillis / 1000 connections are occupied on average. Add a quarter, rounded up."
  ) { budget =>
    val services = three()
    val sizes = budget(1000, services)
    waited(services, sizes).of(s"1000 connections; ${described(services, sizes)}")
  }
  trial("and no service has more than one and a half times its average number of occupied connections, plus one")(
    "An idle connection is a process of the database that works for nobody. Another service could use it."
  ) { budget =>
    val services = three()
    val sizes = budget(1000, services)
    val most = services.map(one => one -> (math.ceil(1.5 * held(one)).toInt + 1))
    Seen(
      most.map { case (one, n) => s"${one.name} at most $n" }.mkString(", "),
      services.map(one => s"${one.name} ${sizes.getOrElse(one.name, 0)}").mkString(", "),
      most.forall { case (one, n) => sizes.get(one.name).exists(_ <= n) }
    ).of("1000 connections")
  }
  trial("if there are too few for all, the database rejects none, even during a roll-out")(
    "During a roll-out each service has one extra instance, with a full pool. For each service, multiply (instances + 1) by the pool size, and add the results up.",
    "The sum of (instances + 1) × pool over all services must not be above the number of connections. Which service has to give way?"
  ) { budget =>
    val (allowed, services) = scarce()
    val sizes = budget(allowed, services)
    val opened = services.map(one => (one.instances + 1) * sizes.getOrElse(one.name, 0)).sum
    Seen(s"at most $allowed opened", s"$opened opened", opened <= allowed && services.forall(one => sizes.get(one.name).exists(_ >= 1)))
      .of(s"$allowed connections; ${described(services, sizes)}")
  }
  trial("services that somebody waits for keep what they need")(
    "Nobody waits for the background service. Give the others their connections first."
  ) { budget =>
    val (allowed, services) = scarce()
    val sizes = budget(allowed, services)
    waited(services.filter(_.waitedFor), sizes).of(s"$allowed connections; ${described(services, sizes)}")
  }
  trial("and the background service takes what is left, up to its need")(
    "Cut it no further than the sum demands. Divide what the others leave by its (instances + 1), and round down, but give it at least 1."
  ) { budget =>
    val (allowed, services) = scarce()
    val sizes = budget(allowed, services)
    val (front, back) = services.partition(_.waitedFor)
    val left = allowed - front.map(one => (one.instances + 1) * sizes.getOrElse(one.name, 0)).sum
    val background = back.head
    Seen(
      s"${background.name} ${(left / (background.instances + 1)).max(1)}",
      s"${background.name} ${sizes.getOrElse(background.name, 0)}"
    ).of(s"$allowed connections; ${described(services, sizes)}")
  }

  /** Checks that queries wait for less time than they take, in the last of five minutes. */
  private def waited(services: Seq[DatabaseClient], sizes: Map[String, Int]): Seen = {
    val waits = services.map(one => (one, lastWaits(one, sizes.getOrElse(one.name, 0))))
    Seen(
      waits.map { case (one, _) => s"${one.name} less than ${ms(one.queryMillis / 1000)}" }.mkString(", "),
      waits.map { case (one, waited) => s"${one.name} ${ms(waited)}" }.mkString(", "),
      waits.forall { case (one, waited) => waited < one.queryMillis / 1000 }
    )
  }

  /** Returns how many connections one instance occupies on average. */
  private def held(one: DatabaseClient): Double = one.perSecond / one.instances * one.queryMillis / 1000

  /** Returns how long a query of one instance waits for a connection, on average, in the last of five minutes. */
  private def lastWaits(one: DatabaseClient, size: Int): Double =
    if (size < 1) Double.PositiveInfinity else Replay.lastWaits(size, one.perSecond / one.instances, one.queryMillis / 1000)

  /** Three services whose instances occupy nearly a whole number of connections, so that a pool with one connection less is too small. The
    * shop needs five connections: if it gets fewer than it needs, four at most, its queries wait too long.
    */
  private def three(): Seq[DatabaseClient] = Seq(("shop", 4, 4, true), ("search", 2, 8, true), ("reports", 2, 12, false)).map {
    case (name, instances, whole, waitedFor) =>
      val (millis, here) = (some(20, 49).toDouble, instances + some(0, 1))
      DatabaseClient(name, here, (whole - 0.05 - Random.nextDouble() * 0.1) / millis * 1000 * here, millis, waitedFor)
  }

  /** A number of connections from which the background service can have a few, but fewer than it needs. */
  private def scarce(): (Int, Seq[DatabaseClient]) = {
    val services = three()
    val (front, back) = services.partition(_.waitedFor)
    val needs = front.map(one => (one.instances + 1) * (math.ceil(1.5 * held(one)).toInt + 1)).sum
    (needs + (back.head.instances + 1) * some(3, 5) + some(0, 1), services)
  }

  private def described(services: Seq[DatabaseClient], sizes: Map[String, Int]): String = services
    .map { one =>
      val kind = if (one.waitedFor) "waited for" else "background"
      f"${one.name} ($kind): ${one.instances} instances, ${one.perSecond}%.0f a second, ${one.queryMillis}%.0f ms each, your pool " +
        s"${sizes.getOrElse(one.name, 0)}"
    }
    .mkString("; ")
}

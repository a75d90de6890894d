package lab.exercises

import lab.page.PoolSpec

/** Design: which pools does a small service need? The answer maps CPUs and database connections to pools, each with the kinds of tasks that
  * it takes: `query` (waits for the database), `parse` (needs a CPU), `health` (is short, and must answer always).
  */
object PoolLayout extends Cases[(Int, Int) => Seq[PoolSpec]]("01-layout") {
  private val kinds = Seq("query", "parse", "health")

  trial("each kind of task has one pool")("Each of the three kinds stands in exactly one `PoolSpec`'s set, spelt as in the text.") {
    layout =>
      val (cpus, connections) = services().head
      TriedPools.onePoolEach(kinds, layout(cpus, connections))
  }
  trial("no thread more than needed")(
    "A pool's size is a limit on how many of its tasks run at once. What should limit the queries? And the parses?",
    "One thread for each connection, one for each CPU, and one more."
  ) { layout =>
    val sums = services().map { case (cpus, connections) => (cpus + connections + 1, layout(cpus, connections).map(_.threads).sum) }
    val (needed, threads) = sums.unzip
    Seen(s"at most ${needed.mkString(" and ")} threads", threads.mkString(" and "), sums.forall { case (most, sum) => sum <= most })
  }
  trial("every connection is used, and none asked for in vain")(
    "Thirty queries and thirty parses came, and none ends. Too few queries: who holds their threads? Too many: which number should be their pool's?",
    "A pool of their own, as large as there are connections."
  ) { layout =>
    tell("queries at once", services())(_._2, started("query", layout))
  }
  trial("one parse for each CPU, however many queries wait")(
    "What shares a pool shares its fate. With whom do the parses share?",
    "A pool of their own, as large as there are CPUs."
  ) { layout =>
    tell("parses at once", services())(_._1, started("parse", layout))
  }
  trial("a health check answers while everything else is stuck")(
    "A task waits for whatever came before it, however short it is itself. Before whom does the check stand in line?",
    "One thread that nothing long ever gets."
  ) { layout =>
    tell("answers", services())(_ => 1, started("health", layout))
  }

  /** How many tasks of a kind get to start when 30 queries and 30 parses come and none of them ends; one health check comes last. */
  private def started(asked: String, answer: (Int, Int) => Seq[PoolSpec])(service: (Int, Int)): Int =
    TriedPools.started(answer(service._1, service._2), Seq.fill(30)(Seq("parse", "query")).flatten, asked)

  /** Two services, as CPUs and connections, that have neither number in common. */
  private def services(): Seq[(Int, Int)] = Seq((some(2, 3), some(5, 7)), (some(4, 5), some(8, 10)))

  private def tell(what: String, services: Seq[(Int, Int)])(expected: ((Int, Int)) => Int, happened: ((Int, Int)) => Int): Seen =
    Seen(s"${services.map(expected).mkString(" and ")} $what", s"${services.map(happened).mkString(" and ")} $what")
}

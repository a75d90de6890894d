package lab.exercises

import lab.page.PoolSpec

/** Design: which pools does a small service need? The answer maps CPUs and database connections to pools, each with the kinds of tasks that
  * it takes. A `query` waits for the database, a `parse` needs a CPU, and `health` is short and must always be answered.
  */
object PoolLayout extends Cases[(Int, Int) => Seq[PoolSpec]]("01-layout") {
  private val kinds = Seq("query", "parse", "health")

  trial("each kind of task has one pool")("Each of the three kinds is in the set of exactly one `PoolSpec`, spelt as in the text.") {
    layout =>
      val (cpus, connections) = services().head
      TriedPools.onePoolEach(kinds, layout(cpus, connections))
  }
  trial("no more threads than needed")(
    "A pool's size limits how many of its tasks run simultaneously. What should limit the queries? And the parses?",
    "One thread for each connection, one for each CPU, and an extra one."
  ) { layout =>
    val sums = services().map { case (cpus, connections) => (cpus + connections + 1, layout(cpus, connections).map(_.threads).sum) }
    val (needed, threads) = sums.unzip
    Seen(s"at most ${needed.mkString(" and ")} threads", threads.mkString(" and "), sums.forall { case (most, sum) => sum <= most })
  }
  trial("every connection is used, and no query asks for one in vain")(
    "Thirty queries and thirty parses came, and none ends. If too few queries run, which tasks occupy their threads? If too many run, which number should be their pool's size?",
    "Give queries their own pool, with one thread for each connection."
  ) { layout =>
    tell("queries simultaneously", services())(_._2, started("query", layout))
  }
  trial("one parse for each CPU, however many queries wait")(
    "Tasks that share a pool wait for each other. Which tasks share the parses' pool?",
    "Give parses their own pool, with one thread for each CPU."
  ) { layout =>
    tell("parses simultaneously", services())(_._1, started("parse", layout))
  }
  trial("a health check is answered while everything else is stuck")(
    "A short task also waits for all tasks ahead of it in the queue. Which tasks are ahead of the health check?",
    "Keep one thread that no long task ever gets."
  ) { layout =>
    tell("answers", services())(_ => 1, started("health", layout))
  }

  /** Returns how many tasks of a kind start if 30 queries and 30 parses come and none of them ends. One health check comes last. */
  private def started(asked: String, answer: (Int, Int) => Seq[PoolSpec])(service: (Int, Int)): Int =
    TriedPools.started(answer(service._1, service._2), Seq.fill(30)(Seq("parse", "query")).flatten, asked)

  /** Two services, as CPUs and connections, that have neither number in common. */
  private def services(): Seq[(Int, Int)] = Seq((some(2, 3), some(5, 7)), (some(4, 5), some(8, 10)))

  private def tell(what: String, services: Seq[(Int, Int)])(expected: ((Int, Int)) => Int, happened: ((Int, Int)) => Int): Seen =
    Seen(s"${services.map(expected).mkString(" and ")} $what", s"${services.map(happened).mkString(" and ")} $what")
}

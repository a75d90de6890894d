package lab.exercises

import lab.Exercise._
import lab.{Exercise, PoolSpec}

import scala.util.Random

/** Design: which pools does a small service need? The answer maps CPUs and database connections to pools, each with the kinds of tasks that
  * it takes: `query` (waits for the database), `parse` (needs a CPU), `health` (is short, and must answer always).
  */
object PoolLayout extends Exercise[(Int, Int) => Seq[PoolSpec]]("01-layout") {
  private val kinds = Seq("query", "parse", "health")

  def trials = Seq(
    Trial("each kind of task has one pool") { layout =>
      val (cpus, connections) = services().head
      Layout.onePoolEach(kinds, layout(cpus, connections))
    },
    Trial("no thread more than needed") { layout =>
      val sums = services().map { case (cpus, connections) => (cpus + connections + 1, layout(cpus, connections).map(_.threads).sum) }
      val (needed, threads) = sums.unzip
      Seen(s"at most ${needed.mkString(" and ")} threads", threads.mkString(" and "), sums.forall { case (most, sum) => sum <= most })
    },
    Trial("every connection is used, and none asked for in vain") { layout =>
      val all = services()
      comparison("queries at once", all.map(_._2), all.map(started("query", layout)))
    },
    Trial("one parse for each CPU, however many queries wait") { layout =>
      val all = services()
      comparison("parses at once", all.map(_._1), all.map(started("parse", layout)))
    },
    Trial("a health check answers while everything else is stuck") { layout =>
      val all = services()
      comparison("answers", all.map(_ => 1), all.map(started("health", layout)))
    }
  )

  def hints = Seq(
    "What shares a pool shares its fate: a task waits for whatever came before it, however short it is itself.",
    "A pool's size is a limit on how many of its tasks run at once. What should limit the queries? And the parses?",
    "Three pools: one as large as there are connections, one as large as there are CPUs, and one thread that nothing long ever gets."
  )

  /** How many tasks of a kind get to start when 30 queries and 30 parses come and none of them ends; one health check comes last. */
  private def started(asked: String, answer: (Int, Int) => Seq[PoolSpec])(service: (Int, Int)): Int =
    Layout.started(answer(service._1, service._2), Seq.fill(30)(Seq("parse", "query")).flatten, asked)

  /** Two services, as CPUs and connections, that have neither number in common. */
  private def services(): Seq[(Int, Int)] =
    Seq((2 + Random.nextInt(2), 5 + Random.nextInt(3)), (4 + Random.nextInt(2), 8 + Random.nextInt(3)))

  private def comparison(what: String, expected: Seq[Int], happened: Seq[Int]): Seen =
    Seen(s"${expected.mkString(" and ")} $what", s"${happened.mkString(" and ")} $what")
}

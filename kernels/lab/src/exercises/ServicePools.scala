package lab.exercises

import lab.Exercise
import lab.Exercise._

import scala.util.Random

/** Design: the pools of a service with four kinds of work. The answer maps CPUs, connections of the database and of the mail server to pools: `page` computes for
  * a moment, and a visitor waits for it; `report` computes for seconds, and nobody waits for it; `query` and `mail` wait for the database and the mail server.
  */
object ServicePools extends Exercise[(Int, Int, Int) => Seq[(Int, Set[String])]]("07-service-pools") {
  private val kinds = Seq("page", "report", "query", "mail")

  def trials = Seq(
    Trial("each kind of work has one pool") { layout =>
      val pools = layout.tupled(service())
      Seen(kinds.map(_ -> 1).toMap, kinds.map(kind => kind -> pools.count(_._2(kind))).toMap)
    },
    Trial("every connection is used, and none asked for in vain") { layout =>
      val of = service()
      val atOnce = Seq("query", "mail").map(started(layout, of, kinds, _))
      Seen(s"${of._2} queries and ${of._3} mails at once", s"${atOnce(0)} queries and ${atOnce(1)} mails at once")
    },
    Trial("a page is computed while reports pile up") { layout =>
      Seen(1, started(layout, service(), Seq("report"), "page"))
    },
    Trial("a page is computed while database and mail server hang") { layout =>
      Seen(1, started(layout, service(), Seq("query", "mail"), "page"))
    },
    Trial("what computes gets no more threads than there are CPUs, reports at least one") { layout =>
      val of = service()
      val pools = layout.tupled(of)
      val computing = pools.filter { case (_, own) => own("page") || own("report") }.map(_._1).sum
      val reports = started(layout, of, Seq("query", "mail"), "report")
      Seen(
        s"at most ${of._1} threads, a report among them",
        s"$computing, ${if (reports == 1) "a" else "no"} report among them",
        computing <= of._1 && reports == 1
      )
    }
  )

  def hints = Seq(
    "What shares a pool shares its fate. Which of the four may wait for which?",
    "Two of them wait for somebody else, who takes only so many at once: what size does that give? The other two compute: what is the most that they can use together?",
    "Four pools: as many threads as database connections, as many as mail connections, one for reports, and the CPUs that are left for pages."
  )

  private def started(layout: (Int, Int, Int) => Layout.Pools, of: (Int, Int, Int), stuck: Seq[String], asked: String): Int =
    Layout.started(layout.tupled(of), Seq.fill(30)(stuck).flatten, asked)

  /** CPUs, connections of the database, connections of the mail server: all different. */
  private def service(): (Int, Int, Int) = (4 + Random.nextInt(3), 8 + Random.nextInt(4), 2 + Random.nextInt(2))
}

package lab.exercises

import lab.Exercise._
import lab.{Exercise, PoolSpec}

import scala.util.Random

/** Design: the pools of a service with four kinds of work. The answer maps CPUs, connections of the database and of the mail server to
  * pools: `page` computes for a moment, and a visitor waits for it; `report` computes for seconds, and nobody waits for it; `query` and
  * `mail` wait for the database and the mail server.
  */
object ServicePools extends Exercise[(Int, Int, Int) => Seq[PoolSpec]]("07-service-pools") {
  private val kinds = Seq("page", "report", "query", "mail")

  def trials = Seq(
    Trial("each kind of work has one pool") { layout =>
      Layout.onePoolEach(kinds, pools(layout, Service.any()))
    },
    Trial("every connection is used, and none asked for in vain") { layout =>
      val service = Service.any()
      val atOnce = Seq("query", "mail").map(started(layout, service, kinds, _))
      Seen(
        s"${service.connections} queries and ${service.mailConnections} mails at once",
        s"${atOnce(0)} queries and ${atOnce(1)} mails at once"
      )
    },
    Trial("a page is computed while reports pile up") { layout =>
      Seen(1, started(layout, Service.any(), Seq("report"), "page"))
    },
    Trial("a page is computed while database and mail server hang") { layout =>
      Seen(1, started(layout, Service.any(), Seq("query", "mail"), "page"))
    },
    Trial("what computes gets no more threads than there are CPUs, reports at least one") { layout =>
      val service = Service.any()
      val computing = pools(layout, service).filter(spec => spec.kinds("page") || spec.kinds("report")).map(_.threads).sum
      val reports = started(layout, service, Seq("query", "mail"), "report")
      Seen(
        s"at most ${service.cpus} threads, a report among them",
        s"$computing, ${if (reports == 1) "a" else "no"} report among them",
        computing <= service.cpus && reports == 1
      )
    }
  )

  def hints = Seq(
    "What shares a pool shares its fate. Which of the four may wait for which?",
    "Two of them wait for somebody else, who takes only so many at once: what size does that give? The other two compute: what is the most that they can use together?",
    "Four pools: as many threads as database connections, as many as mail connections, one for reports, and the CPUs that are left for pages."
  )

  private type Answer = (Int, Int, Int) => Seq[PoolSpec]

  private final case class Service(cpus: Int, connections: Int, mailConnections: Int)
  private object Service {

    /** One whose numbers are all different. */
    def any(): Service = Service(4 + Random.nextInt(3), 8 + Random.nextInt(4), 2 + Random.nextInt(2))
  }

  private def pools(layout: Answer, service: Service): Seq[PoolSpec] = layout(service.cpus, service.connections, service.mailConnections)

  private def started(layout: Answer, service: Service, stuck: Seq[String], asked: String): Int =
    Layout.started(pools(layout, service), Seq.fill(30)(stuck).flatten, asked)
}

package lab.exercises

import lab.page.Exercise
import lab.page.Exercise._

import scala.concurrent.duration._
import scala.util.Random

/** How many threads for this work: CPUs, requests per second, and for each request milliseconds of computing and of waiting. Minutes of such
  * services are worked out by [[Replay]]; nothing runs.
  */
object SizePool extends Exercise[(Int, Double, Double, Double) => Int]("07-size-pool") {
  private type Answer = (Int, Double, Double, Double) => Int

  // Nothing waits in a case: this is only for an answer that never returns.
  override private[lab] def limit: FiniteDuration = 12.seconds

  def trials = Seq(
    Trial(
      "the queue doesn't grow: in the last of five minutes requests wait for less than they take",
      "How many requests are under way at once, if each takes so long and so many come in a second? That many threads are busy.",
      "Little's law: threads = rate × time, and a request holds its thread while it computes and while it waits.",
      "With exactly as many threads as are busy on average, a moment lost never comes back. Give a quarter more."
    ) { threads =>
      val tried = services().map(service => (service, service.threads(threads), service.lastWaits(threads)))
      val fine = tried.forall { case (service, _, waited) => waited < service.holds }
      Seen(
        tried.map { case (service, _, _) => f"less than ${service.holds * 1000}%.0f ms" }.mkString("; "),
        tried.map { case (_, size, waited) => f"${waited * 1000}%.0f ms with $size threads" }.mkString("; "),
        fine
      ).of(services(tried.map(_._1)))
    },
    Trial(
      "and no thread more than that takes, with half to spare",
      "More threads than requests under way have nothing to do. Rate × time is how many are under way; a quarter more is enough."
    ) { threads =>
      val tried = services()
      val (most, sizes) = tried.map(service => (math.ceil(1.5 * service.busy).toInt, service.threads(threads))).unzip
      Seen(s"at most ${most.mkString(", ")}", sizes.mkString(", "), most.zip(sizes).forall { case (bound, size) => size <= bound })
        .of(services(tried))
    },
    Trial(
      "work that computes, too much of it: not more threads than the CPUs can feed",
      "Here more comes than the CPUs can compute, and the queue grows whatever you do. Beyond how many threads do they only share the CPUs?",
      "While one request waits, its CPU can compute for others: CPUs × (1 + wait / compute). Take the smaller one of the two numbers."
    ) { threads =>
      val tried = Seq.fill(3)(Service(2 + Random.nextInt(15), 100000, 4.0 + Random.nextInt(5), 10.0 * (1 + Random.nextInt(3))))
      val (fed, sizes) = tried.map(service => (service.fed, service.threads(threads))).unzip
      Seen(
        s"${fed.map(Math.round(_)).mkString(", ")}, one more or less",
        sizes.mkString(", "),
        fed.zip(sizes).forall { case (bound, size) => math.abs(size - bound) <= 1 }
      ).of(services(tried))
    }
  )

  private final case class Service(cpus: Int, perSecond: Double, computeMillis: Double, waitMillis: Double) {
    def holds: Double = (computeMillis + waitMillis) / 1000
    def busy: Double = perSecond * holds
    def fed: Double = cpus * (1 + waitMillis / computeMillis)

    def threads(answer: Answer): Int = {
      val size = answer(cpus, perSecond, computeMillis, waitMillis)
      if (size < 1) throw new IllegalArgumentException(s"a pool of $size threads; at least 1 was expected")
      size
    }

    /** How long a request waits for a thread, on average, in the last of five minutes. */
    def lastWaits(answer: Answer): Double = {
      val fates = Replay(threads(answer))(Replay.arrivals(perSecond, 0, 300).map(Replay.Request(_, _ => holds)))
      val last = fates.filter(_.at > 240).map(_.waited)
      last.sum / last.size
    }

    override def toString: String = f"$cpus CPUs, $perSecond%.0f a second, each computes $computeMillis%.0f ms and waits $waitMillis%.0f ms"
  }

  private def services(all: Seq[Service]): String = all.mkString("; ")

  /** Three services that the CPUs can feed, and whose busy threads are nearly a whole number: one that is too small by a bit is too small.
    */
  private def services(): Seq[Service] = Seq(5, 12, 20).map { whole =>
    val (compute, wait) = (20.0 + Random.nextInt(15), 30.0 + Random.nextInt(30))
    Service(32, (whole - 0.05 - Random.nextDouble() * 0.1) / (compute + wait) * 1000, compute, wait)
  }
}

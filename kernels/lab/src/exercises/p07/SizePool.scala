package lab.exercises

import scala.util.Random

/** Work that arrives as requests, each of which computes and then waits. */
final case class Work(cpus: Int, perSecond: Double, computeMillis: Double, waitMillis: Double) {
  override def toString: String = f"$cpus CPUs, $perSecond%.0f a second, each computes $computeMillis%.0f ms and waits $waitMillis%.0f ms"
}

/** Compute how many threads this work needs. [[Replay]] computes minutes of it, and nothing runs. */
object SizePool extends Cases[Work => Int]("07-size-pool", Cases.workedOut) {

  trial("the queue doesn't grow: in the last of five minutes requests wait for less than they take")(
    "How many requests are in flight simultaneously, if `perSecond` come in a second and each takes this long? That many threads are busy.",
    "Little's law: threads = rate × time. A request occupies its thread while it computes and while it waits.",
    "If there are exactly as many threads as are busy on average, a lost moment never comes back. Add a quarter."
  ) { threads =>
    val tried = services().map(service =>
      (service, service.threads(threads), Replay.lastWaits(service.threads(threads), service.perSecond, service.holds))
    )
    val fine = tried.forall { case (service, _, waited) => waited < service.holds }
    Seen(
      tried.map { case (service, _, _) => f"less than ${service.holds * 1000}%.0f ms" }.mkString("; "),
      tried.map { case (_, size, waited) => f"${waited * 1000}%.0f ms with $size threads" }.mkString("; "),
      fine
    ).of(tried.map(_._1).mkString("; "))
  }
  trial("and no more threads than that takes, with half to spare")(
    "Threads beyond the requests in flight have nothing to do. Rate × time is how many are in flight. A quarter more is enough."
  ) { threads =>
    val tried = services()
    val (most, sizes) = tried.map(service => (math.ceil(1.5 * service.busy).toInt, service.threads(threads))).unzip
    Seen(s"at most ${most.mkString(", ")}", sizes.mkString(", "), most.zip(sizes).forall { case (bound, size) => size <= bound })
      .of(tried.mkString("; "))
  }
  trial("if the work computes too much: no more threads than the CPUs can feed")(
    "More comes here than the CPUs can compute, so the queue grows whatever you do. Beyond how many threads do these only share the CPUs?",
    "While one request waits, its CPU can compute for others: CPUs × (1 + wait / compute). Take the smaller of the two numbers."
  ) { threads =>
    val tried = Seq.fill(3)(Work(2 + Random.nextInt(15), 100000, 4.0 + Random.nextInt(5), 10.0 * (1 + Random.nextInt(3))))
    val (fed, sizes) = tried.map(service => (service.fed, service.threads(threads))).unzip
    Seen(
      s"${fed.map(Math.round(_)).mkString(", ")}, one more or less",
      sizes.mkString(", "),
      fed.zip(sizes).forall { case (bound, size) => math.abs(size - bound) <= 1 }
    ).of(tried.mkString("; "))
  }

  private implicit class Told(work: Work) {
    def holds: Double = (work.computeMillis + work.waitMillis) / 1000
    def busy: Double = work.perSecond * holds
    def fed: Double = work.cpus * (1 + work.waitMillis / work.computeMillis)
    def threads(answer: Work => Int): Int = {
      val size = answer(work)
      if (size < 1) throw new IllegalArgumentException(s"a pool of $size threads; at least 1 was expected")
      size
    }
  }

  /** Three services that the CPUs can feed, and whose number of busy threads is nearly whole, so that a pool with one thread less is too
    * small.
    */
  private def services(): Seq[Work] = Seq(5, 12, 20).map { whole =>
    val (compute, wait) = (20.0 + Random.nextInt(15), 30.0 + Random.nextInt(30))
    Work(32, (whole - 0.05 - Random.nextDouble() * 0.1) / (compute + wait) * 1000, compute, wait)
  }
}

package lab.capstone

import lab.chart.Latencies
import lab.measure.{Estimate, Proof}
import lab.show.Say

import scala.concurrent.duration._

/** What a layout came to. Requests that were never answered count as such, and an answer counts only if it was the right one.
  *
  * @param parts how the service was in each phase
  * @param lag   how late the requests of each phase were sent
  */
final class Score private[lab] (
    val layout: Layout,
    val plan: Plan,
    private[capstone] val visits: Vector[Visit],
    private[capstone] val parts: Map[String, Told],
    private[capstone] val lag: Map[String, Latencies]
) {
  import Score._

  private[lab] def of(phase: String, kinds: Seq[String]): Vector[Visit] = {
    val all = visits.filter(visit => !visit.calm && visit.phase == phase)
    if (all.isEmpty) throw new NoSuchElementException(s"'$phase' wasn't scored; there are ${scored.mkString(", ")}")
    kinds
      .diff(Layout.kinds)
      .foreach(kind => throw new NoSuchElementException(s"no request is called '$kind'; there are ${Layout.kinds.mkString(", ")}"))
    if (kinds.isEmpty) all else all.filter(visit => kinds.contains(visit.kind))
  }

  /** The phases that were scored. */
  def scored: Vector[String] = plan.phases.map(_.name).toVector

  /** How many in a hundred got the right answer within [[Score.patience]], with the bounds that so many requests allow.
    *
    * @param kinds of these; of all if none is named
    */
  def inTime(phase: String, kinds: String*): Estimate = share(of(phase, kinds))(isInTime)

  /** The same, an honest no (503, 504) counting as well. */
  def told(phase: String, kinds: String*): Estimate = share(of(phase, kinds))(isTold)

  /** How long answers took; who got none stands there with the time after which visitors go. */
  def latencies(phase: String, kinds: String*): Latencies =
    Latencies.of(of(phase, kinds).map(_.tookNanos.getOrElse(Visitors.giveUp.toNanos)))

  /** Right answers a second while the phase lasted. */
  def perSecond(phase: String): Double = {
    val seconds = plan.phases.find(_.name == phase).fold(1.0)(_.time.toUnit(SECONDS))
    of(phase, Nil).count(_.outcome == Visit.Right) / seconds
  }

  /** How long after `phase` it took until of each kind half were answered in time again, and remained so; nothing if that wasn't seen. */
  def recovery(phase: String): Option[FiniteDuration] = {
    val found = plan.phases.find(_.name == phase).getOrElse(throw new NoSuchElementException(s"there is no phase '$phase'"))
    val slices =
      visits.filter(visit => visit.calm && visit.phase == phase).groupBy(visit => (visit.sentNanos - found.time.toNanos) / slice.toNanos)
    def late(of: Vector[Visit]) = of.count(isInTime) * 2 < of.size
    slices.collect { case (at, all) if all.groupBy(_.kind).values.exists(late) => at }.maxOption match {
      case None                                                           => Some(Duration.Zero)
      case Some(last) if (last + 1) * slice.toNanos >= found.calm.toNanos => None
      case Some(last)                                                     => Some(slice * (last + 1))
    }
  }

  /** The most platform threads that the JVM had, its own among them. */
  def threads: Int = parts.values.map(_.threads).max

  /** The most memory that its process had, in MiB; 0 where the system doesn't tell. */
  def mebibytes: Int = parts.values.map(_.mebibytes).max

  /** How late time-outs came while prices were slow, in ms. */
  def lateTimeOuts: Vector[Double] = parts.get(Phase.slow).fold(Vector.empty[Double])(_.late)

  /** On which threads a task ran: how often, by their pool. */
  def ranOn(task: String): Map[String, Long] =
    parts.values.toSeq.flatMap(_.steps).collect { case ((`task`, family), count) => family -> count }.groupMapReduce(_._1)(_._2)(_ + _)

  /** Whether what was sent was sent in time, and the service got the CPU time it asked for (`Pulse`); else nothing that rests on this score
    * is to be judged.
    */
  def proof: Proof = {
    val (sending, late) = lag.map { case (phase, all) => phase -> all.percentileNanos(95) }.maxBy(_._2)
    val (serving, waited) = parts.map { case (phase, told) => phase -> told.waitedNanos }.maxBy(_._2)
    if (late >= latest.toNanos)
      Proof.failed(s"the machine was too busy to send requests in time: 5 of 100 left more than ${Say.nanos(late)} late ($sending)")
    else if (waited >= latest.toNanos)
      Proof.failed(
        s"the machine was too busy for the service: 5 times of 100 it waited more than ${Say.nanos(waited)} for a CPU ($serving)"
      )
    else
      Proof.passed(s"requests were sent in time (95 of 100 within ${Say.nanos(late)}), and the service had its CPUs (${Say.nanos(waited)})")
  }

  /** From 0 to 100; what for, [[goals]] say. */
  def points: Double = goals.map(_.points).sum

  /** What is asked of a layout, whether it is met, and how many of its points it got; in the order of [[Score.asked]]. */
  lazy val goals: Vector[Goal] = Score.asked
    .zip(
      phases.map(phaseGoal) ++ disturbed.map(recoveryGoal) ++ Vector(
        Got(threads <= mostThreads, s"$threads", if (threads <= mostThreads) small else 0, small),
        Got(mebibytes <= mostMebibytes, memoryWords, if (mebibytes <= mostMebibytes) small else 0, small)
      )
    )
    .map { case (name, got) => Goal(name, got.met, got.found, got.points, got.most) }

  private def memoryWords: String = if (mebibytes == 0) "not told by this system" else s"$mebibytes"

  /** The share that counts for the goals, in %: whoever can't be answered while something is slow or short has to be told so in time. */
  def served(phase: String, kind: String): Estimate = (phase, kind) match {
    case (Phase.slow, "price") => told(phase, kind)
    // Refusing everybody isn't an answer.
    case (Phase.short, "order") if inTime(phase, kind).value >= 100 * fewest => told(phase, kind)
    case _                                                                   => inTime(phase, kind)
  }

  /** The kind that fares worst, and its share. */
  def worst(phase: String): (String, Estimate) = Layout.kinds.map(kind => kind -> served(phase, kind)).minBy(_._2.value)

  private def phaseGoal(phase: String): Got = {
    val shares = Layout.kinds.map(kind => kind -> served(phase, kind).value)
    val words = shares.map { case (kind, share) => s"$kind ${Say.number(share)} %" }.mkString(", ")
    Got(shares.forall(_._2 >= 100 * enough), words, shares.map(_._2).sum / 100 * large / shares.size, large)
  }

  private def recoveryGoal(phase: String): Got = {
    val took = recovery(phase)
    val words = took.fold("not seen")(time => if (time == Duration.Zero) "at once" else s"after ${Say.time(time)}")
    val soon = took.exists(_ <= quickly)
    Got(soon, words, if (soon) small else if (took.nonEmpty) small / 2 else 0, small)
  }

  override def toString: String = s"${layout.name}: " + (
    if (scored == phases) s"${Say.number(points)} of 100 points, ${goals.count(_.met)} of ${goals.size} goals met"
    else scored.map(phase => s"${Say.number(inTime(phase).value)} % in time ($phase)").mkString(", ")
  )
}

/** Something that is asked of a layout.
  *
  * @param found  what it came to
  * @param points of `most`
  */
final case class Goal(name: String, met: Boolean, found: String, points: Double, most: Double)

/** How the service was in a phase, as it told.
  *
  * @param waitedNanos what 5 of 100 of the `Pulse`'s waits exceeded
  */
private[capstone] final case class Told(
    threads: Int,
    mebibytes: Int,
    late: Vector[Double],
    steps: Map[(String, String), Long],
    waitedNanos: Long
)

private[capstone] object Told {
  def read(text: String): Told = {
    val fields = text.linesIterator.map(_.split("=", 2)).collect { case Array(name, value) => name -> value }.toMap
    def words(name: String): Vector[String] = fields.getOrElse(name, "").split(' ').toVector.filter(_.nonEmpty)
    val steps = words("steps").collect { case s"$task@$family:$count" => (task, family) -> count.toLong }.toMap
    Told(fields("threads").toInt, fields("mebibytes").toInt, words("late").map(_.toDouble), steps, fields("waited").toLong)
  }
}

object Score {

  /** Who has waited longer has gone elsewhere. */
  val patience: FiniteDuration = 500.millis

  /** The phase in which all is as usual. */
  val steady: String = Phase.steady

  /** The phase in which twice as many come. */
  val crowd: String = Phase.crowd

  /** The phase in which the other service is slow. */
  val slow: String = Phase.slow

  /** The phase in which one connection to the database is left. */
  val short: String = Phase.short

  /** All four, in order. */
  val phases: Vector[String] = Vector(steady, crowd, slow, short)
  private val disturbed = phases.tail

  private val (enough, fewest) = (0.9, 0.1)
  private val (large, small) = (20.0, 4.0)

  private val mostThreads = 40
  private val mostMebibytes = 320
  private val quickly = 400.millis
  private val slice = 100.millis
  // More than a tenth of the patience spent before the request has left is the machine's doing.
  private val latest = patience / 10

  /** What is asked of a layout, in words. */
  lazy val asked: Vector[String] = {
    val each = s"of each kind ${Say.number(100 * enough)} % in time"
    val rest =
      Map(slow -> ", of prices told no in time", short -> s", of orders told no in time, and ${Say.number(100 * fewest)} % answered")
    phases.map(phase => s"$phase: $each${rest.getOrElse(phase, "")}") ++
      disturbed.map(phase => s"each kind recovers within ${Say.time(quickly)} after $phase") ++
      Vector(s"at most $mostThreads threads", s"at most $mostMebibytes MiB")
  }

  private final case class Got(met: Boolean, found: String, points: Double, most: Double)

  private[capstone] def isInTime(visit: Visit): Boolean = visit.outcome == Visit.Right && soon(visit)
  private[capstone] def isTold(visit: Visit): Boolean = (visit.outcome == Visit.Right || visit.outcome == Visit.Refused) && soon(visit)
  private def soon(visit: Visit): Boolean = visit.tookNanos.exists(_ <= patience.toNanos)

  /** A share in %, with the bounds that E. B. Wilson gave (''Journal of the American Statistical Association'' 22, 1927), 99 %. */
  private[capstone] def share(visits: Vector[Visit])(counts: Visit => Boolean): Estimate = {
    val (n, z) = (visits.size.toDouble, 2.576)
    val p = visits.count(counts) / n
    val middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    val away = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    Estimate(100 * p, (100 * (middle - away)).max(0).min(100 * p), (100 * (middle + away)).min(100).max(100 * p), "%")
  }
}

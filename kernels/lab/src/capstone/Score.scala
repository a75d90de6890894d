package lab.capstone

import lab.chart.Latencies
import lab.measure.{Proof, Threshold}
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
    val all = visits.filter(visit => visit.phase == phase)
    if (all.isEmpty) throw new NoSuchElementException(s"'$phase' wasn't scored; there are ${scored.mkString(", ")}")
    kinds
      .diff(Layout.kinds)
      .foreach(kind => throw new NoSuchElementException(s"no request is called '$kind'; there are ${Layout.kinds.mkString(", ")}"))
    if (kinds.isEmpty) all else all.filter(visit => kinds.contains(visit.kind))
  }

  /** The phases that were scored. */
  def scored: Vector[String] = plan.phases.map(_.name).toVector

  /** How many in a hundred got the right answer within [[Score.patience]].
    *
    * @param kinds of these; of all if none is named
    */
  def inTime(phase: String, kinds: String*): Double = share(of(phase, kinds))(isInTime)

  /** The same, an honest no (503, 504) counting as well. */
  def told(phase: String, kinds: String*): Double = share(of(phase, kinds))(isTold)

  /** How long answers took; who got none stands there with the time after which visitors go. */
  def latencies(phase: String, kinds: String*): Latencies =
    Latencies.of(of(phase, kinds).map(_.tookNanos.getOrElse(Visitors.giveUp.toNanos)))

  /** Right answers a second while the phase lasted. */
  def perSecond(phase: String): Double = {
    val seconds = plan.phases.find(_.name == phase).fold(1.0)(_.time.toUnit(SECONDS))
    of(phase, Nil).count(_.outcome == Visit.Right) / seconds
  }

  /** The most platform threads that the JVM had, its own among them. */
  def threads: Int = parts.values.map(_.threads).max

  /** The most requests that were under way at the same moment. */
  def fullest: Int = parts.values.map(_.fullest).max

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
        s"the machine was too busy for the service: in 5 of 100 moments it waited for a CPU, for ${Say.nanos(waited)} or longer ($serving)"
      )
    else
      Proof.passed(s"requests were sent in time (95 of 100 within ${Say.nanos(late)}), and the service had its CPUs (${Say.nanos(waited)})")
  }

  /** From 0 to 100; what for, [[goals]] say. */
  def points: Double = goals.map(_.points).sum

  /** What is asked of a layout, whether it is met, and how many of its points it got; in the order of [[Goal.all]]. */
  lazy val goals: Vector[Goal.Found] = Goal.all.map {
    case goal: Goal.Served =>
      val shares = goal.kinds.map(kind => kind -> served(goal.phase, kind))
      val words = shares.map { case (kind, share) => s"$kind ${Say.number(share)} %${answered(goal.phase, kind)}" }.mkString(", ")
      Goal.Found(goal, shares.forall(_._2 >= 100 * enough), words, shares.map(_._2).sum / 100 / shares.size)
    case Goal.Threads => Goal.Found(Goal.Threads, threads <= Goal.mostThreads, s"$threads", 0)
    case Goal.House   => Goal.Found(Goal.House, fullest <= Goal.mostUnderWay, s"$fullest", 0)
  }

  /** The names of goals that it missed. */
  def missed: Vector[Goal] = goals.filterNot(_.met).map(_.goal)

  /** The share that counts for the goals, in %: whoever can't be answered while something is slow or short has to be told so in time. */
  def served(phase: String, kind: String): Double =
    // Refusing everybody isn't an answer.
    if (mayRefuse(phase, kind) && (phase != Phase.short || inTime(phase, kind) >= 100 * Goal.fewest)) told(phase, kind)
    else inTime(phase, kind)

  private def answered(phase: String, kind: String): String =
    if (mayRefuse(phase, kind)) s" answered or rejected (answered ${Say.number(inTime(phase, kind))} %)" else ""

  /** The kind that fares worst, and its share. */
  def worst(phase: String): (String, Double) = Layout.kinds.map(kind => kind -> served(phase, kind)).minBy(_._2)

  override def toString: String = s"${layout.name}: " + (
    if (scored == phases) s"${goals.count(_.met)} of ${goals.size} goals met, ${Say.number(points)} of 100 points"
    else scored.map(phase => s"${Say.number(inTime(phase))} % in time ($phase)").mkString(", ")
  )
}

/** How the service was in a phase, as it told.
  *
  * @param fullest     the most requests under way at the same moment
  * @param late        of each time-out, in ms
  * @param waitedNanos how long it waited for a CPU, by the `Pulse`
  */
private[capstone] final case class Told(
    threads: Int,
    fullest: Int,
    late: Vector[Double],
    steps: Map[(String, String), Long],
    waitedNanos: Long
)

private[capstone] object Told {
  def read(text: String): Told = {
    val fields = text.linesIterator.map(_.split("=", 2)).collect { case Array(name, value) => name -> value }.toMap
    def words(name: String): Vector[String] = fields.getOrElse(name, "").split(' ').toVector.filter(_.nonEmpty)
    val steps = words("steps").collect { case s"$task@$family:$count" => (task, family) -> count.toLong }.toMap
    Told(fields("threads").toInt, fields("fullest").toInt, words("late").map(_.toDouble / 1000), steps, fields("waited").toLong)
  }
}

object Score {

  /** Who has waited longer has gone elsewhere. */
  val patience: FiniteDuration = Visitors.patience

  /** The same in ms, for [[Tried.within]]. */
  val patient: Threshold = Threshold(patience.toUnit(MILLISECONDS), "the clients' patience in ms")

  /** The phase in which all is as usual. */
  val steady: String = Phase.steady

  /** The phase in which more come, and orders many at the same moment. */
  val crowd: String = Phase.crowd

  /** The phase in which the other service is slow. */
  val slow: String = Phase.slow

  /** The phase in which one connection to the database is left. */
  val short: String = Phase.short

  /** All four, in order. */
  val phases: Vector[String] = Phase.all

  /** Who is better stands last: more goals met, then more points; of scores of some phases alone, more in time. */
  val ranking: Ordering[Score] = Ordering.by { score =>
    if (score.scored == phases) (score.goals.count(_.met), score.points) else (0, score.scored.map(score.inTime(_)).sum)
  }

  private val enough = Goal.enough
  // More than a tenth of the patience spent before the request has left is the machine's doing.
  private val latest = patience / 10

  private def mayRefuse(phase: String, kind: String): Boolean =
    (phase == Phase.slow && kind == "price") || (phase == Phase.short && kind == "order")

  /** Which kinds nobody has to refuse in this phase. */
  private[capstone] def servable(phase: String): Seq[String] = Layout.kinds.filterNot(mayRefuse(phase, _))

  private[capstone] def isInTime(visit: Visit): Boolean = visit.outcome == Visit.Right && soon(visit)
  private[capstone] def isTold(visit: Visit): Boolean = (visit.outcome == Visit.Right || visit.outcome == Visit.Refused) && soon(visit)
  private def soon(visit: Visit): Boolean = visit.tookNanos.exists(_ <= patience.toNanos)

  private[capstone] def share(visits: Vector[Visit])(counts: Visit => Boolean): Double = 100.0 * visits.count(counts) / visits.size
}

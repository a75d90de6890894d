package lab.capstone

import lab.chart.Latencies
import lab.measure.{Proof, Threshold}
import lab.show.Say

import scala.concurrent.duration._

/** The score of a layout. Requests that were never answered count as such, and an answer counts only if it was the right one.
  *
  * @param parts the state of the service in each phase
  * @param lag   how late the requests of each phase were sent
  */
final class Score private[lab] (
    val layout: Layout,
    val plan: Plan,
    private[capstone] val requests: Vector[Request],
    private[capstone] val parts: Map[String, Counters],
    private[capstone] val lag: Map[String, Latencies]
) {
  import Score._

  private[lab] def of(phase: String, kinds: Seq[String]): Vector[Request] = {
    val all = requests.filter(request => request.phase == phase)
    if (all.isEmpty) throw new NoSuchElementException(s"'$phase' wasn't scored; there are ${scored.mkString(", ")}")
    kinds
      .diff(Layout.kinds)
      .foreach(kind => throw new NoSuchElementException(s"no request is called '$kind'; there are ${Layout.kinds.mkString(", ")}"))
    if (kinds.isEmpty) all else all.filter(request => kinds.contains(request.kind))
  }

  /** The phases that were scored. */
  def scored: Vector[String] = plan.phases.map(_.name).toVector

  /** Returns the percentage that got the right answer within [[Score.patience]].
    *
    * @param kinds the kinds of requests that count; all if none is named
    */
  def inTime(phase: String, kinds: String*): Double = share(of(phase, kinds))(isInTime)

  /** Returns the percentage that got the right answer, or was rejected by 503 or 504, within [[Score.patience]]. */
  def informed(phase: String, kinds: String*): Double = share(of(phase, kinds))(isInformed)

  /** Returns how long answers took. A request without an answer counts with the time after which clients go. */
  def latencies(phase: String, kinds: String*): Latencies =
    Latencies.of(of(phase, kinds).map(_.tookNanos.getOrElse(Clients.giveUp.toNanos)))

  /** Returns the right answers a second while the phase lasted. */
  def perSecond(phase: String): Double = {
    val seconds = plan.phases.find(_.name == phase).fold(1.0)(_.time.toUnit(SECONDS))
    of(phase, Nil).count(_.outcome == Request.Right) / seconds
  }

  /** Returns the largest number of platform threads that the JVM had, including its own. */
  def threads: Int = parts.values.map(_.threads).max

  /** Returns the largest number of requests in flight at the same moment. */
  def fullest: Int = parts.values.map(_.fullest).max

  /** Returns how late time-outs came while prices were slow, in ms. */
  def lateTimeOuts: Vector[Double] = parts.get(Phase.slow).fold(Vector.empty[Double])(_.late)

  /** Returns how often a task ran on the threads of each pool. */
  def ranOn(task: String): Map[String, Long] =
    parts.values.toSeq.flatMap(_.steps).collect { case ((`task`, family), count) => family -> count }.groupMapReduce(_._1)(_._2)(_ + _)

  /** Returns whether requests were sent in time, and the service got the CPU time that it needed (`Pulse`). If not, nothing that rests on
    * this score can be judged.
    */
  def proof: Proof = {
    val (sending, late) = lag.map { case (phase, all) => phase -> all.percentileNanos(95) }.maxBy(_._2)
    val (serving, waited) = parts.map { case (phase, one) => phase -> one.waitedNanos }.maxBy(_._2)
    if (late >= latest.toNanos)
      Proof.failed(s"the machine was too busy to send requests in time: 5 of 100 left more than ${Say.nanos(late)} late ($sending)")
    else if (waited >= latest.toNanos)
      Proof.failed(
        s"the machine was too busy for the service: in 5 of 100 moments it waited for a CPU, for ${Say.nanos(waited)} or longer ($serving)"
      )
    else
      Proof.passed(s"requests were sent in time (95 of 100 within ${Say.nanos(late)}), and the service had its CPUs (${Say.nanos(waited)})")
  }

  /** Returns the points, from 0 to 100. [[goals]] says for what. */
  def points: Double = goals.map(_.points).sum

  /** Returns for each goal whether it was met and how many points it earned, in the order of [[Goal.all]]. */
  lazy val goals: Vector[Goal.Found] = Goal.all.map {
    case goal: Goal.Served =>
      val shares = goal.kinds.map(kind => kind -> served(goal.phase, kind))
      val words = shares.map { case (kind, share) => s"$kind ${Say.number(share)} %${answered(goal.phase, kind)}" }.mkString(", ")
      Goal.Found(goal, shares.forall(_._2 >= 100 * enough), words, shares.map(_._2).sum / 100 / shares.size)
    case Goal.Threads => Goal.Found(Goal.Threads, threads <= Goal.mostThreads, s"$threads", 0)
    case Goal.House   => Goal.Found(Goal.House, fullest <= Goal.mostInFlight, s"$fullest", 0)
  }

  /** Returns the goals that it missed. */
  def missed: Vector[Goal] = goals.filterNot(_.met).map(_.goal)

  /** Returns the percentage that counts for the goals. Requests that can't be answered, because something is slow or short, have to be
    * rejected in time.
    */
  def served(phase: String, kind: String): Double =
    // Rejecting all requests isn't enough.
    if (mayRefuse(phase, kind) && (phase != Phase.short || inTime(phase, kind) >= 100 * Goal.fewest)) informed(phase, kind)
    else inTime(phase, kind)

  private def answered(phase: String, kind: String): String =
    if (mayRefuse(phase, kind)) s" answered or rejected (answered ${Say.number(inTime(phase, kind))} %)" else ""

  /** Returns the kind that fares worst, and its share. */
  def worst(phase: String): (String, Double) = Layout.kinds.map(kind => kind -> served(phase, kind)).minBy(_._2)

  override def toString: String = s"${layout.name}: " + (
    if (scored == phases) s"${goals.count(_.met)} of ${goals.size} goals met, ${Say.number(points)} of 100 points"
    else scored.map(phase => s"${Say.number(inTime(phase))} % in time ($phase)").mkString(", ")
  )
}

/** The state of the service in a phase, as the service reported it.
  *
  * @param fullest     the largest number of requests in flight at the same moment
  * @param late        how late each time-out came, in ms
  * @param waitedNanos how long it waited for a CPU, by `Pulse`
  */
private[capstone] final case class Counters(
    threads: Int,
    fullest: Int,
    late: Vector[Double],
    steps: Map[(String, String), Long],
    waitedNanos: Long
)

private[capstone] object Counters {
  def read(text: String): Counters = {
    val fields = text.linesIterator.map(_.split("=", 2)).collect { case Array(name, value) => name -> value }.toMap
    def words(name: String): Vector[String] = fields.getOrElse(name, "").split(' ').toVector.filter(_.nonEmpty)
    val steps = words("steps").collect { case s"$task@$family:$count" => (task, family) -> count.toLong }.toMap
    Counters(fields("threads").toInt, fields("fullest").toInt, words("late").map(_.toDouble / 1000), steps, fields("waited").toLong)
  }
}

object Score {

  /** How long a client waits. Then it has gone elsewhere. */
  val patience: FiniteDuration = Clients.patience

  /** The patience in ms, for [[Tried.within]]. */
  val patient: Threshold = Threshold(patience.toUnit(MILLISECONDS), "the clients' patience in ms")

  /** The phase in which everything is as usual. */
  val steady: String = Phase.steady

  /** The phase in which more requests come, and many orders at the same moment. */
  val crowd: String = Phase.crowd

  /** The phase in which the price service is slow. */
  val slow: String = Phase.slow

  /** The phase in which only one connection to the database is left. */
  val short: String = Phase.short

  /** All four phases, in order. */
  val phases: Vector[String] = Phase.all

  /** Orders scores by goals met, then by points, the best one last. Scores of only some phases are ordered by requests in time. */
  val ranking: Ordering[Score] = Ordering.by { score =>
    if (score.scored == phases) (score.goals.count(_.met), score.points) else (0, score.scored.map(score.inTime(_)).sum)
  }

  private val enough = Goal.enough
  // If more than a tenth of the patience is over before the request is sent, the machine is to blame.
  private val latest = patience / 10

  private def mayRefuse(phase: String, kind: String): Boolean =
    (phase == Phase.slow && kind == "price") || (phase == Phase.short && kind == "order")

  /** Returns the kinds that no layout has to reject in this phase. */
  private[capstone] def servable(phase: String): Seq[String] = Layout.kinds.filterNot(mayRefuse(phase, _))

  private[capstone] def isInTime(request: Request): Boolean = request.outcome == Request.Right && soon(request)
  private[capstone] def isInformed(request: Request): Boolean =
    (request.outcome == Request.Right || request.outcome == Request.Rejected) && soon(request)
  private def soon(request: Request): Boolean = request.tookNanos.exists(_ <= patience.toNanos)

  private[capstone] def share(requests: Vector[Request])(counts: Request => Boolean): Double =
    100.0 * requests.count(counts) / requests.size
}

package lab.capstone

import lab.show.{Say, Table}

import scala.concurrent.duration._

/** A part of a score, with its own load or its own trouble.
  *
  * @param perSecond how many requests of each kind come in a second
  * @param time      how long it lasts
  * @param lead      the first part, in which the trouble builds up; its requests aren't counted
  * @param together  how many requests of a kind come at the same moment; one if the kind isn't named
  * @param leaves    the kinds for whose answers no client waits
  */
private[capstone] final case class Phase(
    name: String,
    perSecond: Map[String, Int],
    time: FiniteDuration,
    lead: FiniteDuration = Duration.Zero,
    together: Map[String, Int] = Map.empty,
    leaves: Set[String] = Set.empty
) {

  /** Returns when requests are due, in nanoseconds since the phase began. Each kind comes at equal distances, and the kinds take turns. */
  def arrivals: Vector[(Long, String)] = Layout.kinds.zipWithIndex
    .flatMap { case (kind, index) =>
      val many = together.getOrElse(kind, 1)
      val gap = 1e9 * many / perSecond(kind)
      // A group comes early, so that the phase has time for what the group does.
      val first = if (many > 1) 3 * gap / 8 else gap * (index + 0.5) / Layout.kinds.size
      Iterator.from(0).map(n => (first + n * gap).toLong).takeWhile(_ < time.toNanos).flatMap(Seq.fill(many)(_)).map(_ -> kind)
    }
    .sorted
    .toVector
}

private[capstone] object Phase {
  val steady = "steady"
  val crowd = "crowd"
  val slow = "prices slow"
  val short = "database short"

  /** All phases, in the order in which they run. */
  val all: Vector[String] = Vector(steady, crowd, slow, short)

  /** How many orders come at the same moment in the crowd. */
  val group = 40

  /** The usual number of requests a second. */
  val usual: Map[String, Int] = Map("health" -> 40, "page" -> 20, "order" -> 60, "price" -> 30)

  def apply(name: String, time: FiniteDuration): Phase = name match {
    case `crowd` => Phase(name, Map("health" -> 40, "page" -> 40, "order" -> 100, "price" -> 60), time, together = Map("order" -> group))
    case `slow`  => Phase(name, usual.updated("price", 60), time)
    case `short` => Phase(name, usual.updated("order", 120), time) // far more than one connection serves
    case _       => Phase(name, usual, time)
  }
}

/** The phases through which a layout is scored.
  *
  * @param warmUp  how long the usual load runs before anything counts, after the service has started
  * @param reports how long the query of the background work takes. It starts again after ten ninths of that
  * @param asked   the phases in which [[Bench.rounds]] has to decide which requests are in time
  */
final case class Plan private[lab] (
    name: String,
    warmUp: FiniteDuration,
    private[capstone] val phases: Seq[Phase],
    private[capstone] val reports: FiniteDuration = Plan.usualReport,
    private[capstone] val asked: Set[String] = Phase.all.toSet
) {

  /** Returns this plan with these phases only. Its scores have no points.
    *
    * @throws java.lang.IllegalArgumentException if there is no such phase
    */
  def only(names: String*): Plan = {
    names.diff(phases.map(_.name)).foreach { unknown =>
      throw new IllegalArgumentException(s"'$unknown' is no phase; there are ${Say.list(phases.map(_.name))}")
    }
    copy(phases = phases.filter(phase => names.contains(phase.name)))
  }

  /** Returns this plan with a condition: it repeats only until it is known which requests of these phases are in time. */
  def untilKnown(names: String*): Plan = copy(asked = names.toSet)

  /** Returns this plan with background work that takes `time`, and starts often enough to run for nine tenths of the time, as usual. */
  def refreshing(time: FiniteDuration): Plan = copy(reports = time)

  /** Returns this plan with phases that last for `time` each. */
  def lasting(time: FiniteDuration): Plan = copy(phases = phases.map(_.copy(time = time)))

  /** Shows the phases, and the requests a second of each kind. */
  def table: Table = Table(
    s"The plan, after ${Say.time(warmUp)} of warm-up; in the crowd, ${Phase.group} orders come at the same moment",
    Seq("phase", "lasts, s") ++ Layout.kinds.map(kind => s"$kind, per second"),
    phases.map { phase =>
      Seq(phase.name, Say.number(phase.time.toUnit(SECONDS))) ++ Layout.kinds.map(kind => s"${phase.perSecond(kind)}")
    }
  )

  override def toString: String = s"$name, ${Say.time(phases.map(_.time).reduce(_ + _))} of load"
}

object Plan {
  private[capstone] val usualReport = 900.millis

  /** A plan with two and a half seconds of load. A layout may miss one of the eleven requests of a kind that come in the shortest phases. */
  val usual: Plan = plan("usual", 550.millis, 600.millis, 550.millis, 800.millis)

  /** A plan with a moment of each phase, for repeated scores. It only counts requests after the lead, in which the phase's trouble builds
    * up. It waits for no request that can't be served.
    */
  val short: Plan = {
    val brief = plan("short", 400.millis, 400.millis, 400.millis, 400.millis)
    brief.copy(phases = brief.phases.map { phase =>
      phase.copy(lead = 100.millis, leaves = if (phase.name == Phase.short) Set("order") else Set.empty)
    })
  }

  private def plan(name: String, times: FiniteDuration*): Plan =
    Plan(
      name,
      1.second,
      Phase.all.zip(times).map { case (phase, time) => Phase(phase, time) }
    )
}

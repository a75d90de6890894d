package lab.capstone

import lab.machine.{Machine, Profile}
import lab.show.{Say, Table}

import scala.concurrent.duration._

/** A part of a score: for a while something is as it seldom is; then comes a calm, in which the service may recover.
  *
  * @param perSecond how many requests of each kind come meanwhile
  * @param time      how long it lasts
  * @param calm      how long it is as usual afterwards
  */
private[capstone] final case class Phase(name: String, perSecond: Map[String, Int], time: FiniteDuration, calm: FiniteDuration) {

  /** When requests are due, in nanoseconds since the phase began: each kind at equal distances, the kinds one after another. */
  def arrivals: Vector[(Long, String)] = Phase.arrivals(perSecond, 0.seconds, time) ++ Phase.arrivals(Phase.usual, time, calm)
}

private[capstone] object Phase {
  val steady = "steady"
  val crowd = "crowd"
  val slow = "prices slow"
  val short = "database short"

  /** Requests a second as a rule. */
  val usual: Map[String, Int] = Map("health" -> 20, "page" -> 20, "order" -> 60, "price" -> 30)

  /** While the database is short: more orders than one connection serves. */
  val orders: Map[String, Int] = usual.updated("order", 90)

  /** And while there is a crowd. */
  val many: Map[String, Int] = Map("health" -> 20, "page" -> 40, "order" -> 120, "price" -> 60)

  private def arrivals(perSecond: Map[String, Int], from: FiniteDuration, time: FiniteDuration): Vector[(Long, String)] =
    Layout.kinds.zipWithIndex
      .flatMap { case (kind, index) =>
        val gap = 1e9 / perSecond(kind)
        val first = from.toNanos + gap * (index + 0.5) / Layout.kinds.size
        Iterator.from(0).map(n => (first + n * gap).toLong).takeWhile(_ < (from + time).toNanos).map(_ -> kind)
      }
      .sorted
      .toVector
}

/** What a layout is put through.
  *
  * @param warmUp the usual load before anything counts
  */
final case class Plan private[lab] (name: String, warmUp: FiniteDuration, private[capstone] val phases: Seq[Phase]) {

  /** The same with these phases alone; a score of it has no points.
    *
    * @throws java.lang.IllegalArgumentException if there is no such phase
    */
  def only(names: String*): Plan = {
    names.diff(phases.map(_.name)).foreach { unknown =>
      throw new IllegalArgumentException(s"'$unknown' is no phase; there are ${Say.list(phases.map(_.name))}")
    }
    copy(phases = phases.filter(phase => names.contains(phase.name)))
  }

  /** Who comes when. */
  def table: Table = Table(
    s"The plan, after ${Say.time(warmUp)} of warming up",
    Seq("phase", "lasts, s", "calm afterwards, s") ++ Layout.kinds.map(kind => s"$kind, per second"),
    phases.map { phase =>
      Seq(phase.name) ++ Seq(phase.time, phase.calm).map(time => Say.number(time.toUnit(SECONDS))) ++
        Layout.kinds.map(kind => s"${phase.perSecond(kind)}")
    }
  )

  override def toString: String = s"$name, ${Say.time(warmUp + phases.map(phase => phase.time + phase.calm).reduce(_ + _))} of load"
}

object Plan {

  /** As long as the profile has it. */
  def usual: Plan = if (Machine.here().profile == Profile.Full) full else quick

  /** Seven and a half seconds. */
  val quick: Plan =
    plan("quick", 1.second, Seq(700.millis -> 0.seconds, 700.millis -> 500.millis, 1200.millis -> 500.millis, 2200.millis -> 500.millis))

  /** Half a minute. */
  val full: Plan =
    plan("full", 3.seconds, Seq(5.seconds -> 0.seconds, 3.seconds -> 2.seconds, 5.seconds -> 2.seconds, 6.seconds -> 2.seconds))

  private def plan(name: String, warmUp: FiniteDuration, times: Seq[(FiniteDuration, FiniteDuration)]): Plan = {
    val kinds = Seq(Phase.steady -> Phase.usual, Phase.crowd -> Phase.many, Phase.slow -> Phase.usual, Phase.short -> Phase.orders)
    Plan(name, warmUp, kinds.zip(times).map { case ((phase, load), (time, calm)) => Phase(phase, load, time, calm) })
  }
}

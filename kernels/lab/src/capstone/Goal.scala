package lab.capstone

import lab.show.{Say, Table}

/** A goal for a layout.
  *
  * @param id   the id under which a missed goal is kept; it never changes
  * @param name the goal in words
  * @param most the points for meeting it
  */
sealed abstract class Goal(val id: String, val name: String, private[capstone] val most: Double) {
  override def toString: String = id
}

object Goal {

  /** The share of each kind that has to be answered in time, and the least share of orders while the database is short. */
  private[capstone] val (enough, fewest) = (0.9, 0.1)
  private val (large, small) = (15.0, 5.0)
  private[capstone] val (mostThreads, mostInFlight) = (40, 60)

  /** Nine of ten requests of these kinds are served in this phase. */
  private[capstone] final class Served(id: String, val phase: String, val kinds: Seq[String], what: String)
      extends Goal(id, s"$phase: ${Say.number(100 * enough)} % $what", large)

  private val others = Layout.kinds.filter(_ != "order")

  /** Orders that come at the same moment are answered in time. They need a queue with room for all of them, from which [[ShortOrders]]
    * suffers.
    */
  val CrowdOrders: Goal = new Served("crowd-orders", Phase.crowd, Seq("order"), "of orders in time")

  /** Orders that one connection can't serve are rejected in time. */
  val ShortOrders: Goal =
    new Served(
      "short-orders",
      Phase.short,
      Seq("order"),
      s"of orders answered or rejected in time, and ${Say.number(100 * fewest)} % answered"
    )

  private[capstone] case object Threads extends Goal("threads", s"at most $mostThreads threads", small)
  private[capstone] case object House extends Goal("under-way", s"at most $mostInFlight requests in flight", small)

  /** All goals, in the order of the tables. */
  val all: Vector[Goal] = Vector(
    new Served("steady", Phase.steady, Layout.kinds, "of each kind in time"),
    new Served("crowd", Phase.crowd, others, "of each other kind in time"),
    CrowdOrders,
    new Served("slow", Phase.slow, Layout.kinds, "of each kind in time (of prices, answered or rejected in time)"),
    new Served("short", Phase.short, others, "of each other kind in time"),
    ShortOrders,
    Threads,
    House
  )

  /** Shows the goals and their points. */
  def table: Table = Table(
    s"The goals (in time means within ${Say.time(Clients.patience)})",
    Seq("goal", "what is asked", "points"),
    all.map(goal => Seq(goal.id, goal.name, Say.number(goal.most)))
  )

  /** How a layout did on a goal.
    *
    * @param words what was measured
    * @param share the share of the goal that was reached, from 0 to 1. A missed goal earns half of its points, times this share
    */
  final case class Found private[capstone] (goal: Goal, met: Boolean, words: String, private val share: Double) {

    /** Returns how many of the goal's points it earned. */
    def points: Double = if (met) goal.most else goal.most * share / 2
  }
}

package lab.capstone

import lab.show.{Say, Table}

/** Something that is asked of a layout.
  *
  * @param id   under which a missed one is kept; never changes
  * @param name in words
  * @param most points for it
  */
sealed abstract class Goal(val id: String, val name: String, private[capstone] val most: Double) {
  override def toString: String = id
}

object Goal {

  /** So many of each kind have to be answered in time, and of orders while the database is short at least so many. */
  private[capstone] val (enough, fewest) = (0.9, 0.1)
  private val (large, small) = (15.0, 5.0)
  private[capstone] val (mostThreads, mostUnderWay) = (40, 60)

  /** Nine of ten of these kinds are served in this phase. */
  private[capstone] final class Served(id: String, val phase: String, val kinds: Seq[String], what: String)
      extends Goal(id, s"$phase: ${Say.number(100 * enough)} % $what", large)

  private val others = Layout.kinds.filter(_ != "order")

  /** The orders that come all at the same moment are answered. What it takes, a place to wait for each, is what [[ShortOrders]] suffers from. */
  val CrowdOrders: Goal = new Served("crowd-orders", Phase.crowd, Seq("order"), "of orders in time")

  /** Orders that one connection can't serve are told so in time. */
  val ShortOrders: Goal =
    new Served(
      "short-orders",
      Phase.short,
      Seq("order"),
      s"of orders answered or rejected in time, and ${Say.number(100 * fewest)} % answered"
    )

  private[capstone] case object Threads extends Goal("threads", s"at most $mostThreads threads", small)
  private[capstone] case object House extends Goal("under-way", s"at most $mostUnderWay requests in flight", small)

  /** All of them, in the order of the tables. */
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

  /** What is asked of a layout. */
  def table: Table = Table(
    s"The goals (in time means within ${Say.time(Visitors.patience)})",
    Seq("goal", "what is asked", "points"),
    all.map(goal => Seq(goal.id, goal.name, Say.number(goal.most)))
  )

  /** What became of a goal.
    *
    * @param words what it came to
    * @param share of what was asked for, from 0 to 1; who misses a goal gets half the points for it
    */
  final case class Found private[capstone] (goal: Goal, met: Boolean, words: String, private val share: Double) {

    /** What it got of the goal's points. */
    def points: Double = if (met) goal.most else goal.most * share / 2
  }
}

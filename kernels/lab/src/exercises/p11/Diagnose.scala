package lab.exercises

import lab.capstone.{Layout, Score}

import scala.util.Random

/** What a score found: of the requests of a kind in a phase, so many in a hundred.
  *
  * @param inTime got the right answer in time
  * @param told   got the right answer or an honest no (503, 504) in time
  */
final case class Finding(phase: String, kind: String, inTime: Int, told: Int)

/** What can be changed in a layout. */
sealed abstract class Change(override val toString: String)
object Change {

  /** The queries get threads that nothing else needs. */
  case object QueriesApart extends Change("queries apart")

  /** No handler waits for its steps any more. */
  case object NoAwait extends Change("no Await")

  /** The background work leaves the thread that keeps the time-outs. */
  case object RefreshElsewhere extends Change("background work elsewhere")

  /** The queue of orders gets an end. */
  case object BoundOrders extends Change("an end to the queue of orders")

  /** Queries get more threads and connections. */
  case object MoreConnections extends Change("more connections")
}

/** Diagnose: which change does a layout need, given what its score found? */
object Diagnose extends Cases[(Seq[Finding], Int) => Change]("11-diagnose") {
  import Change._

  trial("orders that wait too long for the last connection, and nobody else")(
    "All is well but one cell. What can't be served has to be told so in time: is it?",
    "If only orders suffer while the database is short, their queue has no end: `Change.BoundOrders`."
  )(found(BoundOrders))
  trial("everybody suffers while the database is short, and only then")(
    "A health check needs no database. For which thread does it wait?",
    "`health` in `Score.short`, but not in `Score.slow`: `Change.QueriesApart`."
  )(found(QueriesApart))
  trial("everybody suffers while prices are slow")(
    "A call of the other service holds no thread. Unless somebody waits for it on one.",
    "`health` in `Score.slow`: `Change.NoAwait`, whatever else suffers."
  )(found(NoAwait))
  trial("prices that are told no too late, and nobody else")(
    "The time-out is 300 ms, the patience 500. Who rings the bell? And is it `inTime` that tells, where no price can be had at all?",
    "`told` of `price` in `Score.slow`, with late time-outs: `Change.RefreshElsewhere`."
  )(found(RefreshElsewhere))
  trial("orders that are too many in the crowd, and nobody else")(
    "In the crowd the database is well, and nobody else waits. What do orders need of which there isn't enough?",
    "`order` in `Score.crowd`, and `health` not: `Change.MoreConnections`."
  )(found(MoreConnections))
  trial("and a hiccup of the machine is none of it")(
    "One cell at 85 % is no fault of the layout: from where on is it one?",
    "The healthy cells stay above 80, the others lie far below."
  )(answer => firstWrong(Random.shuffle(all).map(change => seen(change, hiccup = true)(answer))))

  private val all = Seq(BoundOrders, QueriesApart, NoAwait, RefreshElsewhere, MoreConnections)

  private def found(change: Change)(answer: (Seq[Finding], Int) => Change): Seen = seen(change, hiccup = false)(answer)

  private def seen(change: Change, hiccup: Boolean)(answer: (Seq[Finding], Int) => Change): Seen = {
    firstWrong(Seq.fill(if (hiccup) 12 else 4) {
      val (findings, late) = example(change, hiccup)
      val low = findings.filter(_.told < 95).map(one => s"${one.phase}: ${one.kind} ${one.told} % told")
      Seen(change, answer(findings, late)).of(s"${low.mkString(", ")}; time-outs $late ms late")
    })
  }

  /** What the page shows. */
  def example(): (Seq[Finding], Int) = example(QueriesApart, hiccup = true)

  private def example(change: Change, hiccup: Boolean): (Seq[Finding], Int) = {
    val sick = suffering(change)
    val unlucky = (for (phase <- Score.phases; kind <- Layout.kinds) yield (phase, kind)).filterNot(sick.contains)
    val dip = Option.when(hiccup)(unlucky(some(0, unlucky.size - 1)))
    val findings = for (phase <- Score.phases; kind <- Layout.kinds) yield {
      val told = if (sick.contains((phase, kind))) some(10, 60) else if (dip.contains((phase, kind))) some(82, 90) else some(96, 100)
      val inTime = (phase, kind) match {
        case (Score.slow, "price")  => 0
        case (Score.short, "order") => told.min(some(25, 45))
        case _                      => told
      }
      Finding(phase, kind, inTime, told)
    }
    (findings, if (change == RefreshElsewhere) some(250, 600) else some(0, 15))
  }

  /** The cells in which it shows that a change is needed. */
  private def suffering(change: Change): Seq[(String, String)] = change match {
    case BoundOrders      => Seq(Score.short -> "order")
    case QueriesApart     => Layout.kinds.map(Score.short -> _)
    case NoAwait          => Layout.kinds.flatMap(kind => Seq(Score.slow -> kind, Score.short -> kind))
    case RefreshElsewhere => Seq(Score.slow -> "price")
    case MoreConnections  => Seq(Score.crowd -> "order")
  }
}

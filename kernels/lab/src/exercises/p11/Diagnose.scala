package lab.exercises

import lab.capstone.{Layout, Score}

import scala.util.Random

/** What a score found out about the requests of one kind in one phase.
  *
  * @param inTime the percentage that got the right answer in time
  * @param informed   the percentage that got the right answer in time, or was rejected in time by 503 or 504
  */
final case class Finding(phase: String, kind: String, inTime: Int, informed: Int)

/** A change of a layout. */
sealed abstract class Change(override val toString: String)
object Change {

  /** Gives the queries threads that no other task needs. */
  case object QueriesApart extends Change("queries apart")

  /** Makes handlers continue in callbacks, instead of waiting for their steps. */
  case object NoAwait extends Change("no Await")

  /** Moves the background work away from the thread that runs the time-outs. */
  case object RefreshElsewhere extends Change("background work elsewhere")

  /** Bounds the queue of orders. */
  case object BoundOrders extends Change("a bound for the queue of orders")

  /** Gives queries more threads and connections. */
  case object MoreConnections extends Change("more connections")
}

/** Diagnose: which change does a layout need, given the findings of its score? */
object Diagnose extends Cases[(Seq[Finding], Int) => Change]("11-diagnose") {
  import Change._

  trial("only orders suffer, because they wait too long for the last connection")(
    "Only one figure is bad. An order that can't be served should be rejected in time. Is it?",
    "If only orders suffer while the database is short, their queue is unbounded: `exercises.Change.BoundOrders`."
  )(found(BoundOrders))
  trial("all kinds suffer while the database is short of connections, and only then")(
    "A health check needs no database. For which thread does it wait?",
    "If `health` suffers in `Score.short`, but not in `Score.slow`, it is `exercises.Change.QueriesApart`."
  )(found(QueriesApart))
  trial("all kinds suffer while prices are slow")(
    "A call to the price service occupies no thread, unless a handler waits for its answer on one.",
    "If `health` suffers in `Score.slow`, it is `exercises.Change.NoAwait`, whatever else suffers."
  )(found(NoAwait))
  trial("only prices suffer, because they are rejected too late")(
    "The time-out is 300 ms, and the patience is 500 ms. Which thread runs the time-out? And which figure shows a late one, `inTime` or `informed`, if no price can be answered at all?",
    "If `informed` of `price` is low in `Score.slow`, and time-outs are late, it is `exercises.Change.RefreshElsewhere`."
  )(found(RefreshElsewhere))
  trial("only orders suffer, because too many come in the crowd")(
    "In the crowd the database is healthy, and no other kind suffers. Orders need something that is too scarce. What is it?",
    "If `order` suffers in `Score.crowd`, and `health` doesn't, it is `exercises.Change.MoreConnections`."
  )(found(MoreConnections))
  trial("a hiccup of the machine is no reason for a change")(
    "A single figure of 85 % isn't the fault of the layout. Below which figure is it?",
    "Healthy figures stay above 80 %, and the others are far below."
  )(answer => firstWrong(Random.shuffle(all).map(change => seen(change, hiccup = true)(answer))))

  private val all = Seq(BoundOrders, QueriesApart, NoAwait, RefreshElsewhere, MoreConnections)

  private def found(change: Change)(answer: (Seq[Finding], Int) => Change): Seen = seen(change, hiccup = false)(answer)

  private def seen(change: Change, hiccup: Boolean)(answer: (Seq[Finding], Int) => Change): Seen = {
    firstWrong(Seq.fill(if (hiccup) 12 else 4) {
      val (findings, late) = example(change, hiccup)
      val low = findings.filter(_.informed < 95).map(one => s"${one.phase}: ${one.kind} ${one.informed} % answered or rejected")
      Seen(change, answer(findings, late)).of(s"${low.mkString(", ")}; time-outs $late ms late")
    })
  }

  /** Returns the example that the page shows. */
  def example(): (Seq[Finding], Int) = example(QueriesApart, hiccup = true)

  private def example(change: Change, hiccup: Boolean): (Seq[Finding], Int) = {
    val sick = suffering(change)
    val unlucky = (for (phase <- Score.phases; kind <- Layout.kinds) yield (phase, kind)).filterNot(sick.contains)
    val dip = Option.when(hiccup)(unlucky(some(0, unlucky.size - 1)))
    val findings = for (phase <- Score.phases; kind <- Layout.kinds) yield {
      val informed = if (sick.contains((phase, kind))) some(10, 60) else if (dip.contains((phase, kind))) some(82, 90) else some(96, 100)
      val inTime = (phase, kind) match {
        case (Score.slow, "price")  => 0
        case (Score.short, "order") => informed.min(some(25, 45))
        case _                      => informed
      }
      Finding(phase, kind, inTime, informed)
    }
    (findings, if (change == RefreshElsewhere) some(250, 600) else some(0, 15))
  }

  /** Returns the figures that show the need for a change. */
  private def suffering(change: Change): Seq[(String, String)] = change match {
    case BoundOrders      => Seq(Score.short -> "order")
    case QueriesApart     => Layout.kinds.map(Score.short -> _)
    case NoAwait          => Layout.kinds.flatMap(kind => Seq(Score.slow -> kind, Score.short -> kind))
    case RefreshElsewhere => Seq(Score.slow -> "price")
    case MoreConnections  => Seq(Score.crowd -> "order")
  }
}

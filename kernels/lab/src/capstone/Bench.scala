package lab.capstone

import java.util.concurrent.atomic.AtomicReference

import lab.measure.Repeated
import lab.process.{CompiledProgram, Postgres}
import lab.show.{Display, ProgressLine}

import scala.concurrent.duration._

/** Runs the capstone's service with one layout after another, in a separate JVM with a small heap, and scores each by a plan.
  *
  * {{{
  * val bench = Bench(shop)            // starts PostgreSQL, or says why it can't
  * bench.score(layout).foreach(score => Scores.chart(score).show())
  * }}}
  *
  * One JVM serves all layouts, so that all are measured under the same conditions. A new JVM starts only if the number of event loops or
  * connections changes, if the last one ended by itself, or after [[restart]].
  *
  * Call it from the cell's own thread. The service and PostgreSQL end when the bench is closed, or when the kernel ends.
  */
final class Bench private (program: CompiledProgram, database: Either[String, Postgres]) extends AutoCloseable {
  import Bench._

  private var service = Option.empty[StartedService]
  private var line = (-1L, new ProgressLine(name))

  /** Says why nothing can be scored here; `None` if layouts can be scored. */
  def missing: Option[String] = database.left.toOption

  /** Scores `layout`; `None` if there is no database.
    *
    * @throws java.lang.IllegalStateException if the service doesn't start, with the service's output
    * @throws java.lang.InterruptedException if the cell is interrupted. This ends the service
    */
  def score(layout: Layout, plan: Plan = Plan.usual): Option[Score] = database.toOption.map(scored(_, layout, plan))

  /** Scores several layouts in turn, three times each. Layouts for which this doesn't decide which requests are in time are scored six or
    * nine times. Returns `None` if there is no database.
    */
  def rounds(tries: (Layout, Plan)*): Option[Tries] = database.toOption.map { postgres =>
    val variants = tries.map { case (layout, plan) => layout.name -> (() => scored(postgres, layout, plan)) }
    new Tries(Repeated(rounds = 3, warmUp = 0, open = (runs: Repeated[Score]) => new Tries(runs).undecided(tries))(variants: _*))
  }

  /** Returns the shortest CPU time that a page takes in the service; `None` before the first score. */
  def pageTakes: Option[FiniteDuration] = service.map(_.pageTakes)

  /** Ends the service. The next score starts another one, as a reader's first attempt does. */
  def restart(): Unit = {
    service.foreach(_.close())
    service = None
  }

  def close(): Unit = {
    restart()
    database.foreach(_.close())
  }

  private def scored(postgres: Postgres, layout: Layout, plan: Plan): Score = {
    val says = lineOfThisCell
    try {
      val on = started(postgres, layout, plan, says)
      val found = plan.phases.map { phase =>
        says.say(s"${layout.name}: ${phase.name}, ${says.time}")
        phase.name -> on.measure(layout, phase, plan.reports)
      }
      val counters = found.map { case (phase, (_, counters)) => phase -> counters }.toMap
      val lag = found.map { case (phase, (came, _)) => phase -> came.lag }.toMap
      val score = new Score(layout, plan, found.flatMap(_._2._1.requests).toVector, counters, lag)
      says.say(s"$score, in ${says.time}")
      score
    } catch { case failed: Throwable => restart(); throw failed }
  }

  private def started(postgres: Postgres, layout: Layout, plan: Plan, says: ProgressLine): StartedService = {
    if (!service.exists(_.serves(layout))) {
      restart()
      val fresh = new StartedService(program, postgres, layout, says)
      service = Some(fresh)
      fresh.measure(layout, Phase(Phase.steady, plan.warmUp), plan.reports)
    }
    service.get
  }

  private def lineOfThisCell: ProgressLine = {
    if (line._1 != Display.cell) line = (Display.cell, new ProgressLine(name))
    line._2
  }
}

object Bench {

  /** Makes a bench for `program`, whose main makes a [[Service]] from its arguments, and starts PostgreSQL for it. The service of the last
    * bench ends.
    */
  def apply(program: CompiledProgram): Bench = {
    val bench = new Bench(
      program,
      try Right(Postgres.start(Layout.mostConnections + 6))
      catch { case none: IllegalStateException => Left(none.getMessage) }
    )
    last.getAndSet(Some(bench)).foreach(_.restart())
    bench
  }

  private val last = new AtomicReference(Option.empty[Bench])
  private val name = "Score"
}

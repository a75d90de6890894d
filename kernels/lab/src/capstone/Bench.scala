package lab.capstone

import lab.load.{Desk, HttpConnection}
import lab.process.{CompiledProgram, Postgres, Server}
import lab.show.{Display, ProgressLine}

import scala.concurrent.duration._
import scala.util.{Random, Using}

/** Puts layouts of the capstone's service through a plan, each in a JVM of its own with a small heap, and scores them.
  *
  * {{{
  * val bench = Bench(shop)            // starts PostgreSQL, or says why it can't
  * bench.score(layout).foreach(score => Scores.chart(score).show())
  * }}}
  *
  * To be called from the cell's own thread. PostgreSQL ends when the bench is closed, and with the kernel.
  *
  * @param missing why nothing can be scored here
  */
final class Bench private (program: CompiledProgram, database: Either[String, Postgres]) extends AutoCloseable {
  import Bench._

  private lazy val steps = Render.stepsIn(pageTakes)
  private var line = (-1L, new ProgressLine(name))

  /** Why nothing can be scored here; nothing where it can. */
  def missing: Option[String] = database.left.toOption

  /** What `layout` comes to; nothing where there is no database.
    *
    * @throws java.lang.IllegalStateException if the service doesn't start, with what it said
    * @throws java.lang.InterruptedException if the cell is interrupted; the service is gone then
    */
  def score(layout: Layout, plan: Plan = Plan.usual): Option[Score] = database.toOption.map(scored(_, layout, plan))

  def close(): Unit = database.foreach(_.close())

  private def scored(postgres: Postgres, layout: Layout, plan: Plan): Score = Using.Manager { use =>
    val (salt, says) = (1 + Random.nextInt(999), lineOfThisCell)
    val prices = use(new PriceList(salt))
    val command = program.service(program.main, Service.arguments(layout, prices.url, salt), jvm :+ Render.option(steps))
    val address = Map(Postgres.variable -> postgres.url)
    val server = use(Server.launch(program.name, command, "ready;.*", 60.seconds, line = says, environment = address))
    val desk = use(Desk.of(server))
    val visitors = use(new Visitors(server.port, expected(salt)))
    visitors.come(Phase("warm-up", Phase.usual, plan.warmUp, Duration.Zero))(())
    desk.get("/anew")
    val found = plan.phases.map { phase =>
      says.say(s"${layout.name}: ${phase.name}, ${says.time}")
      begin(phase, prices, desk)
      val came = visitors.come(phase)(end(phase, prices, desk))
      (phase.name, Told.read(desk.get("/anew")), came)
    }
    val told = found.map { case (phase, told, _) => phase -> told }.toMap
    val lag = found.map { case (phase, _, came) => phase -> came.lag }.toMap
    val score = new Score(layout, plan, found.flatMap(_._3.visits).toVector, told, lag)
    says.say(s"$score, in ${says.time}")
    score
  }.get

  private def lineOfThisCell: ProgressLine = {
    if (line._1 != Display.cell) line = (Display.cell, new ProgressLine(name))
    line._2
  }

  private def expected(salt: Int)(kind: String, n: Int): String = kind match {
    case "health" => s"fine $n"
    case "page"   => pages(n)
    case "order"  => s"order $n: ${Service.amount(n, salt)}"
    case _        => s"price $n: ${PriceList.price(n, salt)}"
  }
  private lazy val pages = (0 to 63).map(Render.page(_, steps))
}

object Bench {

  /** For `program`, whose main makes a [[Service]] of its arguments. Starts a PostgreSQL for it. */
  def apply(program: CompiledProgram): Bench = new Bench(
    program,
    try Right(Postgres.start(Layout.mostConnections + 4))
    catch { case none: IllegalStateException => Left(none.getMessage) }
  )

  private val name = "Score"
  private val pageTakes = 2.millis // as the kernel compiles it; three, as the service does

  /** HikariCP and Netty have nothing to say; the heap is one that everybody has, and it warms up soon. */
  private val jvm = Seq("-Xmx96m", "-XX:TieredStopAtLevel=1", "-Dreactor.netty.native=false") ++
    Seq("slf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider", "slf4j.internal.verbosity=ERROR").map("-D" + _)

  private def begin(phase: Phase, prices: PriceList, desk: HttpConnection): Unit = phase.name match {
    case Phase.slow  => prices.takes = slowPrice
    case Phase.short => desk.get("/hold"); ()
    case _           => ()
  }
  private val slowPrice = 2.seconds

  private def end(phase: Phase, prices: PriceList, desk: HttpConnection): Unit = phase.name match {
    case Phase.slow  => prices.takes = Layout.usualPrice
    case Phase.short => desk.get("/release"); ()
    case _           => ()
  }
}

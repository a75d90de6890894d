package lab.capstone

import java.net.URLEncoder
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.atomic.AtomicInteger

import lab.load.Desk
import lab.process.{CompiledProgram, Postgres, Server}
import lab.show.ProgressLine

import scala.concurrent.duration._
import scala.util.{Random, Using}

/** Runs the service in a separate JVM, with the other service that it calls, until it is closed.
  *
  * @param first the layout whose event loops and connections it has
  * @param says  the line that shows the progress of its start
  */
private[capstone] final class StartedService(program: CompiledProgram, postgres: Postgres, first: Layout, says: ProgressLine)
    extends AutoCloseable {
  import StartedService._

  private val salt = 1 + Random.nextInt(999)
  private val prices = new PriceList(salt)
  private val server = Server.launch(
    program.name,
    program.service(program.main, Service.arguments(first, prices.url, salt), jvm),
    "ready;.*",
    60.seconds,
    line = says,
    environment = Map(Postgres.variable -> postgres.url)
  )
  private val desk = Desk.of(server)
  private val numbers = Layout.kinds.map(_ -> new AtomicInteger(Random.nextInt(Service.numbers))).toMap

  /** The number of steps that a page takes, and its shortest CPU time. */
  private val (steps, pageNanos) = desk.get("/page") match {
    case s"$steps $nanos" => (steps.toInt, nanos.toLong)
    case other            => throw new IllegalStateException(s"the service answered '$other' about its pages; two numbers were expected")
  }

  /** Returns the shortest CPU time of a page. */
  def pageTakes: FiniteDuration = pageNanos.nanos

  /** Returns whether the service is alive and has the event loops and connections of `layout`. */
  def serves(layout: Layout): Boolean =
    server.isRunning && layout.loops == first.loops && layout.connections == first.connections

  /** Runs `layout` through `phase`, on new pools. Returns the fates of the requests, and the service's state. */
  def measure(layout: Layout, phase: Phase, reports: FiniteDuration): (Clients.Results, Counters) = {
    desk.get(s"/begin/${reports.toMillis}/${URLEncoder.encode(layout.text, UTF_8).replace("+", "%20")}")
    phase.name match {
      case Phase.slow  => prices.takes = slowPrice
      case Phase.short => desk.get("/hold")
      case _           => ()
    }
    val came = Using.resource(new Clients(server.port, number, right))(_.send(phase))
    phase.name match {
      case Phase.slow  => prices.takes = Layout.usualPrice
      case Phase.short => desk.get("/release")
      case _           => ()
    }
    (came, Counters.read(desk.get("/end")))
  }

  def close(): Unit = {
    prices.close()
    desk.close()
    server.close()
  }

  private def number(kind: String): Int = numbers(kind).getAndIncrement() % Service.numbers

  private def right(kind: String, n: Int): String = kind match {
    case "health" => s"fine $n"
    case "page"   => Render.page(n, steps)
    case "order"  => s"order $n: ${Service.amount(n, salt)}"
    case _        => s"price $n: ${PriceList.price(n, salt)}"
  }
}

private object StartedService {
  private val slowPrice = 2.seconds

  /** Silences HikariCP and Netty. The small heap fits into any machine, and with C1 alone the JVM warms up soon. */
  private val jvm = Seq("-Xmx96m", "-XX:TieredStopAtLevel=1", "-Dreactor.netty.native=false") ++
    Seq("slf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider", "slf4j.internal.verbosity=ERROR").map("-D" + _)
}

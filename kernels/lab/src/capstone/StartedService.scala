package lab.capstone

import java.net.URLEncoder
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.atomic.AtomicInteger

import lab.load.Desk
import lab.process.{CompiledProgram, Postgres, Server}
import lab.show.ProgressLine

import scala.concurrent.duration._
import scala.util.{Random, Using}

/** The service in a JVM of its own, with the other service that it calls, until it is closed.
  *
  * @param first the layout whose event loops and connections it has
  * @param says  where it says how far its start is
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

  /** How many steps a page takes, and how much CPU time at its fastest. */
  private val (steps, pageNanos) = desk.get("/page") match {
    case s"$steps $nanos" => (steps.toInt, nanos.toLong)
    case other            => throw new IllegalStateException(s"the service says '$other' of its pages")
  }

  /** How much CPU time a page takes, at its fastest. */
  def pageTakes: FiniteDuration = pageNanos.nanos

  /** Whether it is alive and has what `layout` needs. */
  def serves(layout: Layout): Boolean =
    server.isRunning && layout.loops == first.loops && layout.connections == first.connections

  /** Puts `layout` through `phase`, on pools of its own: who came, and how the service was. */
  def measure(layout: Layout, phase: Phase, reports: FiniteDuration): (Visitors.Came, Told) = {
    desk.get(s"/begin/${reports.toMillis}/${URLEncoder.encode(layout.text, UTF_8).replace("+", "%20")}")
    phase.name match {
      case Phase.slow  => prices.takes = slowPrice
      case Phase.short => desk.get("/hold")
      case _           => ()
    }
    val came = Using.resource(new Visitors(server.port, number, right))(_.come(phase))
    phase.name match {
      case Phase.slow  => prices.takes = Layout.usualPrice
      case Phase.short => desk.get("/release")
      case _           => ()
    }
    (came, Told.read(desk.get("/end")))
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

  /** HikariCP and Netty have nothing to say; the heap is one that everybody has, and it warms up soon. */
  private val jvm = Seq("-Xmx96m", "-XX:TieredStopAtLevel=1", "-Dreactor.netty.native=false") ++
    Seq("slf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider", "slf4j.internal.verbosity=ERROR").map("-D" + _)
}

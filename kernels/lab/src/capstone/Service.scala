package lab.capstone

import java.lang.management.ManagementFactory.getThreadMXBean
import java.sql.{Connection, SQLException}
import java.util.Properties
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}
import java.util.concurrent.{CompletableFuture, ConcurrentLinkedQueue, Executor, RejectedExecutionException, TimeUnit}
import javax.sql.DataSource

import lab.load.Desk
import lab.process.Postgres

import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration._
import scala.util.control.NonFatal
import scala.util.{Failure, Success, Try}

/** The answer to a request: its HTTP status and its text. */
final case class Reply(status: Int, text: String)

/** The options with which the capstone's service is started.
  *
  * @param database the database's JDBC address
  * @param prices   the other service's address
  * @param salt     the number from which its table of orders is computed
  */
final case class ServiceOptions(layout: Layout, database: String, prices: String, salt: Int) {

  /** Returns HikariCP's properties. Each connection creates its own temporary table of orders. */
  def pool: Properties = {
    val table = s"select id, ${Service.amountSql(salt)} as amount from generate_series(0, ${Service.numbers - 1}) as id"
    settings(layout.connections, "connectionInitSql" -> s"create temporary table orders as $table; create index on orders (id)")
  }

  /** Returns HikariCP's properties for the background work, whose connections nobody else borrows. There are two, because a query of the
    * previous layout may still run.
    */
  def reports: Properties = settings(2)

  private def settings(connections: Int, more: (String, String)*): Properties = {
    val all = new Properties
    (Seq("jdbcUrl" -> database, "maximumPoolSize" -> s"$connections", "connectionTimeout" -> "2000") ++ more)
      .foreach { case (name, value) => all.setProperty(name, value) }
    all
  }
}

/** The capstone's service without its web server, for the service's own JVM. It accepts requests as the layout says, calls the page's
  * handlers, starts the background work, and reports its state to the scorer.
  *
  * @param loops  runs tasks on the event loops
  * @param source lends connections to the database
  */
final class Service(options: ServiceOptions, loops: Executor, source: DataSource)(shop: Contexts => Handlers) {
  import Service._

  private val held = new ConcurrentLinkedQueue[Connection]
  @volatile private var running = new Running(options.layout, Plan.usualReport)

  /** Answers the request `kind/n`. The result completes on the thread of the last step. */
  def answer(path: String): CompletableFuture[Reply] = {
    val reply = new CompletableFuture[Reply]
    val answered = path.split('/') match {
      case Array(kind, number) if Layout.kinds.contains(kind) && number.toIntOption.nonEmpty => running.answer(kind, number.toInt)
      case _ => Future.successful(Reply(404, s"no '$path'; there are ${Layout.kinds.mkString(", ")}, each with a number"))
    }
    answered.onComplete(tried => reply.complete(tried.getOrElse(Reply(500, "no reply"))))(ExecutionContext.parasitic)
    reply
  }

  /** Opens the port on which the scorer asks, and announces it, together with `port`, on which clients call. */
  def open(port: Int): Unit = Desk.open(port) {
    case "/hold"                    => hold()
    case "/release"                 => s"released=${release()}"
    case "/page"                    => s"${Render.stepsHere} ${Render.pageNanos()}"
    case s"/begin/$reports/$layout" => begin(Layout.read(layout), reports.toInt.millis)
    case "/end"                     => end()
    case other                      => s"$other isn't understood"
  }

  /** Takes all connections but one, as a program might that shares the pool and doesn't give them back. */
  private def hold(): String = {
    (1 until options.layout.connections).foreach { _ =>
      try { held.add(source.getConnection()); () }
      catch { case none: SQLException => System.err.println(s"connection not taken: $none") }
    }
    s"held=${held.size}"
  }

  private def release(): Int = Iterator.continually(Option(held.poll())).takeWhile(_.nonEmpty).flatten.map(_.close()).size

  /** Creates new pools, as the layout says. Event loops and connections stay. */
  private def begin(layout: Layout, reports: FiniteDuration): String = {
    running.close() // the first layout's pools; `end` closed the others
    // Pools are new for each layout, but event loops aren't. So wait until they have finished what the previous layout submitted.
    CompletableFuture.allOf(Seq.fill(2 * layout.loops)(CompletableFuture.runAsync(() => (), loops)): _*).get(5, TimeUnit.SECONDS)
    getThreadMXBean.resetPeakThreadCount()
    running = new Running(layout, reports)
    s"$layout"
  }

  /** Closes all pools, and returns their state. */
  private def end(): String = {
    val counters = running.counters
    running.close()
    counters
  }

  private final class Running(layout: Layout, reports: FiniteDuration) extends AutoCloseable {
    private val on = new Contexts(layout, loops, reports)
    private val handlers = shop(on)
    private val inFlight = Layout.kinds.map(_ -> new AtomicInteger).toMap
    private val house = new AtomicInteger
    private val fullest = new AtomicInteger
    private val refreshing = new AtomicBoolean
    private val pulse = new Pulse
    on.every(reports * 10 / 9)(refresh())

    def answer(kind: String, n: Int): Future[Reply] = {
      val count = inFlight(kind)
      if (count.incrementAndGet() > layout.atMost.getOrElse(kind, Int.MaxValue)) {
        count.decrementAndGet()
        Future.successful(Reply(503, s"too many in flight: $kind"))
      } else {
        fullest.accumulateAndGet(house.incrementAndGet(), _ max _)
        Try(handlers.answer(kind, n))
          .fold(Future.failed, identity)
          .transform { answered =>
            count.decrementAndGet()
            house.decrementAndGet()
            Success(reply(answered))
          }(ExecutionContext.parasitic)
      }
    }

    private def refresh(): Unit = if (refreshing.compareAndSet(false, true)) {
      Try(handlers.refresh()).fold(Future.failed, identity).onComplete(_ => refreshing.set(false))(ExecutionContext.parasitic)
    }

    def counters: String = {
      val steps = on.steps.map { case ((task, family), count) => s"$task@$family:$count" }
      val late = on.lateness.map(nanos => s"${nanos / 1000}")
      val (threads, waited) = (getThreadMXBean.getPeakThreadCount, pulse.waitedNanos)
      s"threads=$threads\nfullest=$fullest\nlate=${late.mkString(" ")}\nsteps=${steps.mkString(" ")}\nwaited=$waited"
    }

    private val isOpen = new AtomicBoolean(true)

    def close(): Unit = if (isOpen.compareAndSet(true, false)) {
      pulse.close()
      on.close()
    }
  }
}

object Service {

  /** Reads the arguments of the service's main. The database's address contains a password, so it comes from the environment. */
  def read(arguments: Array[String]): ServiceOptions = read(arguments, sys.env)

  private[capstone] def read(arguments: Array[String], environment: Map[String, String]): ServiceOptions = arguments match {
    case Array(layout, prices, salt) =>
      val database = environment.getOrElse(Postgres.variable, sys.error(s"${Postgres.variable} isn't set"))
      ServiceOptions(Layout.read(layout), database, prices, salt.toInt)
    case other => throw new IllegalArgumentException(s"expected a layout, an address and a number, not ${other.mkString(" ")}")
  }

  private[capstone] def arguments(layout: Layout, prices: String, salt: Int): Seq[String] = Seq(layout.text, prices, s"$salt")

  /** Requests are numbered from 0. There are so many numbers that hardly any request comes twice, so caching answers gains nothing. */
  private[capstone] val numbers = 10000

  private[capstone] def amountSql(salt: Int): String = s"(id * 7919 + $salt) % 10007"

  /** Returns the amount of an order, as the table of orders has it. */
  private[capstone] def amount(id: Int, salt: Int): Int = (id * 7919 + salt) % 10007

  private def reply(answered: Try[String]): Reply = answered match {
    case Success(text)                             => Reply(200, text)
    case Failure(full: RejectedExecutionException) => Reply(503, s"a queue is full: ${full.getClass.getSimpleName}")
    case Failure(late: Contexts.TooLate)           => Reply(504, s"${late.getMessage}")
    case Failure(NonFatal(failure))                => Reply(500, s"$failure")
    case Failure(fatal)                            => Reply(500, s"fatal: $fatal")
  }
}

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

/** What a request is answered with. */
final case class Reply(status: Int, text: String)

/** How the capstone's service is started.
  *
  * @param database for JDBC
  * @param prices   where the other service is
  * @param salt     what its table of orders depends on
  */
final case class ServiceOptions(layout: Layout, database: String, prices: String, salt: Int) {

  /** What HikariCP is told, by its own names. Each connection gets a table of orders, which goes with it. */
  def pool: Properties = {
    val table = s"select id, ${Service.amountSql(salt)} as amount from generate_series(0, ${Service.numbers - 1}) as id"
    settings(layout.connections, "connectionInitSql" -> s"create temporary table orders as $table; create index on orders (id)")
  }

  /** And for the background work, whose connection nobody borrows; a second one while a query of a former layout still runs. */
  def reports: Properties = settings(2)

  private def settings(connections: Int, more: (String, String)*): Properties = {
    val all = new Properties
    (Seq("jdbcUrl" -> database, "maximumPoolSize" -> s"$connections", "connectionTimeout" -> "2000") ++ more)
      .foreach { case (name, value) => all.setProperty(name, value) }
    all
  }
}

/** The capstone's service without its web server: lets requests in as the layout says, has them answered by the page's handlers, begins the
  * background work, and is asked by the scorer how it is. For the service's own JVM.
  *
  * @param loops  executes on the event loops
  * @param source lends connections to the database
  */
final class Service(options: ServiceOptions, loops: Executor, source: DataSource)(shop: Contexts => Handlers) {
  import Service._

  private val held = new ConcurrentLinkedQueue[Connection]
  @volatile private var running = new Running(options.layout, Plan.usualReport)

  /** The answer to `kind/n`. It is complete on the thread on which the last step ended. */
  def answer(path: String): CompletableFuture[Reply] = {
    val reply = new CompletableFuture[Reply]
    val answered = path.split('/') match {
      case Array(kind, number) if Layout.kinds.contains(kind) && number.toIntOption.nonEmpty => running.answer(kind, number.toInt)
      case _ => Future.successful(Reply(404, s"no '$path'; there are ${Layout.kinds.mkString(", ")}, each with a number"))
    }
    answered.onComplete(tried => reply.complete(tried.getOrElse(Reply(500, "no reply"))))(ExecutionContext.parasitic)
    reply
  }

  /** Says where it is asked, and that it is ready to be called on `port`. */
  def open(port: Int): Unit = Desk.open(port) {
    case "/hold"                    => hold()
    case "/release"                 => s"released=${release()}"
    case "/page"                    => s"${Render.stepsHere} ${Render.pageNanos()}"
    case s"/begin/$reports/$layout" => begin(Layout.read(layout), reports.toInt.millis)
    case "/end"                     => end()
    case other                      => s"$other isn't understood"
  }

  /** Takes all connections but one, as somebody may who shares the pool and doesn't give them back. */
  private def hold(): String = {
    (1 until options.layout.connections).foreach { _ =>
      try { held.add(source.getConnection()); () }
      catch { case none: SQLException => System.err.println(s"not held: $none") }
    }
    s"held=${held.size}"
  }

  private def release(): Int = Iterator.continually(Option(held.poll())).takeWhile(_.nonEmpty).flatten.map(_.close()).size

  /** Makes new pools, as the layout has them; event loops and connections remain. */
  private def begin(layout: Layout, reports: FiniteDuration): String = {
    running.close() // the first one; the others were closed by `end`
    // Pools are new for each layout, event loops aren't: what the former one began there is to be over.
    CompletableFuture.allOf(Seq.fill(2 * layout.loops)(CompletableFuture.runAsync(() => (), loops)): _*).get(5, TimeUnit.SECONDS)
    getThreadMXBean.resetPeakThreadCount()
    running = new Running(layout, reports)
    s"$layout"
  }

  /** Ends all pools; says how they were. */
  private def end(): String = {
    val told = running.told
    running.close()
    told
  }

  private final class Running(layout: Layout, reports: FiniteDuration) extends AutoCloseable {
    private val on = new Contexts(layout, loops, reports)
    private val handlers = shop(on)
    private val underWay = Layout.kinds.map(_ -> new AtomicInteger).toMap
    private val house = new AtomicInteger
    private val fullest = new AtomicInteger
    private val refreshing = new AtomicBoolean
    private val pulse = new Pulse
    on.every(reports * 10 / 9)(refresh())

    def answer(kind: String, n: Int): Future[Reply] = {
      val count = underWay(kind)
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

    def told: String = {
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

  /** Reads the arguments of the service's main; the database's address, which holds a password, is in the environment. */
  def read(arguments: Array[String]): ServiceOptions = read(arguments, sys.env)

  private[capstone] def read(arguments: Array[String], environment: Map[String, String]): ServiceOptions = arguments match {
    case Array(layout, prices, salt) =>
      val database = environment.getOrElse(Postgres.variable, sys.error(s"${Postgres.variable} isn't set"))
      ServiceOptions(Layout.read(layout), database, prices, salt.toInt)
    case other => throw new IllegalArgumentException(s"a layout, an address and a number are needed, not ${other.mkString(" ")}")
  }

  private[capstone] def arguments(layout: Layout, prices: String, salt: Int): Seq[String] = Seq(layout.text, prices, s"$salt")

  /** Requests have numbers from 0 on: so many that hardly one comes twice, and no answer can be remembered. */
  private[capstone] val numbers = 10000

  private[capstone] def amountSql(salt: Int): String = s"(id * 7919 + $salt) % 10007"

  /** What the table of orders says. */
  private[capstone] def amount(id: Int, salt: Int): Int = (id * 7919 + salt) % 10007

  private def reply(answered: Try[String]): Reply = answered match {
    case Success(text)                             => Reply(200, text)
    case Failure(full: RejectedExecutionException) => Reply(503, s"a queue is full: ${full.getClass.getSimpleName}")
    case Failure(late: Contexts.TooLate)           => Reply(504, s"${late.getMessage}")
    case Failure(NonFatal(failure))                => Reply(500, s"$failure")
    case Failure(fatal)                            => Reply(500, s"fatal: $fatal")
  }
}

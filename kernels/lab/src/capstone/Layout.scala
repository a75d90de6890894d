package lab.capstone

import lab.show.{Say, Table}

import scala.concurrent.duration._
import scala.util.Try

/** A pool: named threads and a queue of tasks.
  *
  * @param queue the capacity of the queue. A task that finds it full is rejected. Without a capacity the queue is unbounded.
  */
final case class Pool(name: String, threads: Int, queue: Int = Pool.endless) {

  /** Returns whether its queue is unbounded. */
  def isEndless: Boolean = queue == Pool.endless

  private[capstone] def text: String = Seq(name, s"$threads", if (isEndless) "endless" else s"$queue").mkString(":")

  override def toString: String =
    s"$name (${Say.count(threads, "thread")}, ${if (isEndless) "an unbounded queue" else s"a queue of $queue"})"
}

object Pool {
  private[capstone] val endless = Int.MaxValue
  private[capstone] val mostThreads = 1000
}

/** Says where each task of the capstone's service runs, and what is limited. A reader writes one. It goes to the service's JVM as text
  * ([[text]], [[Layout.read]]).
  *
  * A task's place is the name of one of `pools`, or one of these:
  *   - `loops`: the event loops themselves;
  *   - `direct`: the thread that completed the step before, or the calling thread;
  *   - `virtual`: a virtual thread for each task.
  *
  * @param app         the place of application code: the callbacks that use the result of a step, and the health check
  * @param render      the place where pages are rendered, which computes
  * @param query       the place of JDBC calls, which block their threads
  * @param refresh     the place of the background work, which starts again every second
  * @param timers      the pool that runs time-outs and starts the background work
  * @param loops       the number of event loops, which the HTTP server and client share
  * @param connections the largest number of database connections
  * @param atMost      the largest number of requests in flight, by kind. The next request of the kind is answered by 503
  * @param timeOut     how long the price service may take before the answer is 504
  * @param awaits      whether handlers wait for their steps, instead of continuing in callbacks
  * @throws java.lang.IllegalArgumentException naming the value, the rule and what to do
  */
final case class Layout(
    name: String,
    pools: Seq[Pool],
    app: String,
    render: String,
    query: String,
    refresh: String,
    timers: String,
    loops: Int = Layout.usualLoops,
    connections: Int = Layout.usualConnections,
    atMost: Map[String, Int] = Map.empty,
    timeOut: FiniteDuration = Layout.usualTimeOut,
    awaits: Boolean = false
) {
  import Layout.must

  must(
    name.matches("[\\w .,'-]{1,60}"),
    s"name = '$name'",
    "a name consists of at most 60 letters, digits, spaces, commas and dots",
    "Shorten it."
  )
  pools.foreach { pool =>
    val (value, known) = (s"Pool(\"${pool.name}\", ${pool.threads})", Layout.special.mkString(", "))
    must(pool.name.matches("[a-z][\\w-]{0,20}"), value, "a pool's name begins with a lower-case letter", "Call it `app`, for example.")
    must(!Layout.special.contains(pool.name), value, s"$known are places that need no pool", "Give it another name.")
    must(
      pool.threads >= 1 && pool.threads <= Pool.mostThreads,
      value,
      s"a pool has 1 to ${Pool.mostThreads} threads",
      "How many of its tasks run simultaneously?"
    )
    must(pool.queue >= 0, s"$pool", "a queue has a capacity of 0 or more", "Leave `queue` out for an unbounded queue.")
  }
  private val twice = pools.map(_.name).diff(pools.map(_.name).distinct)
  must(twice.isEmpty, s"pools = ${pools.map(_.name).mkString(", ")}", "no two pools have the same name", s"Rename one `${twice.mkString}`.")
  Layout.tasks.foreach { task =>
    must(
      pool(task).nonEmpty || Layout.special.contains(place(task)),
      s"$task = \"${place(task)}\"",
      s"a task runs on one of the pools or on ${Say.list(Layout.special)}",
      s"The pools are ${if (pools.isEmpty) "none yet" else Say.list(pools.map(_.name))}."
    )
  }
  must(
    pool("timers").exists(_.isEndless),
    s"timers = \"$timers\"",
    "timers need a pool with an unbounded queue",
    "Name a pool without `queue`, such as Pool(\"clock\", 1)."
  )
  must(loops >= 1 && loops <= 64, s"loops = $loops", "there are 1 to 64 event loops", "Two are enough for this service.")
  must(
    connections >= 2 && connections <= Layout.mostConnections,
    s"connections = $connections",
    s"the database gives this service 2 to ${Layout.mostConnections}",
    "How many queries run simultaneously?"
  )
  atMost.foreach { case (kind, most) =>
    val value = s"atMost = Map(\"$kind\" -> $most)"
    must(Layout.kinds.contains(kind), value, s"kinds of requests are ${Say.list(Layout.kinds)}", "Name one of these.")
    must(most >= 1, value, "at least one request has to be accepted", "Leave the kind out to accept all.")
  }
  must(
    timeOut >= 10.millis && timeOut <= 10.seconds,
    s"timeOut = $timeOut",
    "the price service gets 10 ms to 10 s",
    s"It usually takes ${Say.time(Layout.usualPrice)}."
  )

  /** Returns the place where `task` runs, one of [[Layout.tasks]]. */
  def place(task: String): String = Layout.places(this)(task)

  /** Returns the pool on which `task` runs; `None` if its place isn't a pool. */
  def pool(task: String): Option[Pool] = pools.find(_.name == place(task))

  /** Returns the whole layout as text for [[Layout.read]]. */
  def text: String = {
    val fields = Layout.tasks.map(task => task -> place(task)) ++ Seq(
      "loops" -> s"$loops",
      "connections" -> s"$connections",
      "atMost" -> atMost.toSeq.sorted.map { case (kind, most) => s"$kind:$most" }.mkString(" "),
      "timeOut" -> s"${timeOut.toMillis}",
      "awaits" -> s"$awaits"
    )
    (Seq("name" -> name, "pools" -> pools.map(_.text).mkString(" ")) ++ fields)
      .map { case (field, value) => s"$field=$value" }
      .mkString(";")
  }

  /** Says in words what runs where. */
  def words: String = {
    val by = Layout.tasks.groupBy(place).toSeq.sortBy { case (place, _) => pools.indexWhere(_.name == place) }
    val tasks = by.map { case (place, tasks) => s"${Say.list(tasks)} on ${pools.find(_.name == place).fold(place)(_.toString)}" }
    val limits = atMost.toSeq.sorted.map { case (kind, most) => s"at most ${Say.count(most, kind)} in flight" }
    val others = Seq(
      Option.when(loops != Layout.usualLoops)(s"${Say.count(loops, "event loop")}"),
      Option.when(connections != Layout.usualConnections)(s"$connections connections"),
      Option.when(timeOut != Layout.usualTimeOut)(s"time-out ${Say.time(timeOut)}"),
      Option.when(awaits)("handlers wait")
    ).flatten
    (tasks ++ limits ++ others).mkString("; ")
  }

  override def toString: String = s"$name: $words"
}

object Layout {

  /** The tasks that have a place. */
  val tasks: Seq[String] = Seq("app", "render", "query", "refresh", "timers")

  /** The kinds of requests. */
  val kinds: Seq[String] = Seq("health", "page", "order", "price")

  private[capstone] val special = Seq("loops", "direct", "virtual")
  private[capstone] val mostConnections = 16
  private[capstone] val usualPrice = 50.millis
  private val (usualLoops, usualConnections, usualTimeOut) = (2, 8, 300.millis)

  /** Shows what runs where in each layout. */
  def table(layouts: Layout*): Table = {
    def row(name: String)(value: Layout => String): Seq[String] = name +: layouts.map(value)
    def told(pool: Pool): String =
      s"${pool.name}, ${Say.count(pool.threads, "thread")}${if (pool.isEndless) "" else s", queue of ${pool.queue}"}"
    val places = tasks.map(task => row(task)(layout => layout.pool(task).fold(layout.place(task))(told)))
    val rest = Seq(
      row("HTTP, server and client")(layout => s"loops, ${Say.count(layout.loops, "thread")}"),
      row("connections")(layout => s"${layout.connections}"),
      row("in flight, at most")(layout =>
        if (layout.atMost.isEmpty) "any number" else layout.atMost.toSeq.sorted.map { case (kind, n) => Say.count(n, kind) }.mkString(", ")
      ),
      row("time-out")(layout => Say.time(layout.timeOut)),
      row("a handler")(layout => if (layout.awaits) "waits for its steps" else "continues in callbacks")
    )
    Table("What runs where (a queue is unbounded unless its capacity is given)", "task" +: layouts.map(_.name), places ++ rest)
  }

  private def places(layout: Layout): Map[String, String] = Map(
    "app" -> layout.app,
    "render" -> layout.render,
    "query" -> layout.query,
    "refresh" -> layout.refresh,
    "timers" -> layout.timers
  ).withDefault(task => throw new NoSuchElementException(s"there is no task '$task'; there are ${tasks.mkString(", ")}"))

  /** Reads a layout from the text of [[Layout.text]].
    *
    * @throws java.lang.IllegalArgumentException if it isn't such a text
    */
  def read(text: String): Layout = {
    def wrong(why: String) = new IllegalArgumentException(s"'$text' is no layout: $why. Text made by `Layout.text` was expected.")
    val fields = text.split(';').toSeq.map(_.split("=", 2)).collect { case Array(field, value) => field -> value }.toMap
    def field(name: String): String = fields.getOrElse(name, throw wrong(s"it has no $name"))
    def number(text: String): Int = text.toIntOption.getOrElse(throw wrong(s"'$text' is no number"))
    def words(name: String): Seq[String] = field(name).split(' ').toSeq.filter(_.nonEmpty)
    Layout(
      field("name"),
      words("pools").map(_.split(':')).map {
        case Array(name, threads, "endless") => Pool(name, number(threads))
        case Array(name, threads, queue)     => Pool(name, number(threads), number(queue))
        case other                           => throw wrong(s"'${other.mkString(":")}' is no pool")
      },
      field("app"),
      field("render"),
      field("query"),
      field("refresh"),
      field("timers"),
      number(field("loops")),
      number(field("connections")),
      words("atMost")
        .map(_.split(':'))
        .map {
          case Array(kind, most) => kind -> number(most)
          case other             => throw wrong(s"'${other.mkString(":")}' is no limit")
        }
        .toMap,
      number(field("timeOut")).millis,
      Try(field("awaits").toBoolean).getOrElse(throw wrong("`awaits` is true or false"))
    )
  }

  private def must(holds: Boolean, value: String, rule: String, remedy: String): Unit =
    if (!holds) throw new IllegalArgumentException(s"$value: $rule. $remedy")
}

package lab.exercises

import scala.concurrent.{ExecutionContext, Future, Promise}

/** Design: what should carry the request's id at four places of a service? The answer maps a place (`audit`, `price`, `batch`, `nightly`) to
  * a way to carry the id (`nothing`, `at execute`, `at map`, `with the message`).
  */
object Hops extends Cases[String => String]("06-hops") {
  trial("the audit log, a Java library, names the request that called it")(
    "The library calls `execute`, on the thread of your request, and logs on its own thread. It knows no Future: who calls `prepare()`?",
    "It takes a `Runnable` and no id. At `execute` the right thread is calling."
  ) { place =>
    val service = new Service(place, "audit")
    var seen = "nothing was logged"
    service.as("req-1")(service.context.execute { () => seen = service.id })
    service.run()
    Seen("req-1", seen)
  }
  trial("a price that two requests wait for is logged by each under its own id")(
    "One of the two looks the price up and completes the Future. On whose thread is the other one's step handed over?",
    "At `execute` it is too late. The line comes from a library that reads the MDC, so an explicit id doesn't reach it."
  ) { place =>
    val service = new Service(place, "price")
    val price = Promise[Int]()
    val step = service.as("req-2")(price.future.map(_ => service.id)(service.context))
    service.as("req-1")(price.success(1))
    service.run()
    Seen("req-2", step.value.fold("nothing was logged")(_.get))
  }
  trial("each line of a batch names its own request, not the one that filled the batch")(
    "The batch is written in one task for several requests. Which thread local could hold several ids at once?",
    "The id is part of what is in the batch: each entry brings its own."
  ) { place =>
    val service = new Service(place, "batch")
    val entries = Seq("req-1", "req-2", "req-3")
    val written = service.as(entries.last)(Future(entries.map(service.idOf))(service.context))
    service.run()
    Seen(entries.mkString(", "), written.value.fold("nothing was written")(_.get.mkString(", ")))
  }
  trial("the nightly job, which the first request sets up, names no request")(
    "It runs long after that request, and again each night. Whose id should stand in its lines?",
    "A context that copies does so here too, at either moment, and so does a job that is handed the id. What belongs to nobody should carry nothing."
  ) { place =>
    val service = new Service(place, "nightly")
    val job = service.as("req-1")(Future(service.idOf("req-1"))(service.context))
    service.run()
    Seen("none", job.value.fold("the job didn't run")(_.get))
  }

  /** A pool with what was chosen for a place. */
  private final class Service(place: String => String, name: String) {
    private val way = place(name)
    private val (mdc, pool) = (new ThreadLocal[String], new Held)

    /** Where other requests' tasks are run, too. */
    def run(): Unit = pool.runAll()

    def as[T](id: String)(body: => T): T = {
      mdc.set(id)
      try body
      finally mdc.remove()
    }

    /** What code finds that nobody hands an id to. */
    def id: String = Option(mdc.get).getOrElse("none")

    /** What code finds that can be handed an id with what it works on. */
    def idOf(entry: String): String = if (way == "with the message") entry else id

    val context: ExecutionContext = way match {
      case "nothing" | "with the message" => pool
      case "at execute"                   => contextOf(task => pool.execute(as(Option(mdc.get), task)))
      case "at map"                       => new AtMap
      case other =>
        val known = s"there is no way '$other' for $name; there are nothing, at execute, at map and with the message"
        throw new IllegalArgumentException(known)
    }

    private final class AtMap extends ExecutionContext {
      def execute(task: Runnable): Unit = pool.execute(task)
      def reportFailure(cause: Throwable): Unit = pool.reportFailure(cause)
      @deprecated("Scala calls it once for each step, where the step is made", "2.12.0")
      override def prepare(): ExecutionContext = {
        val here = Option(mdc.get)
        contextOf(task => pool.execute(as(here, task)))
      }
    }

    private def as(id: Option[String], task: Runnable): Runnable = () => id.fold(task.run())(as(_)(task.run()))
  }
}

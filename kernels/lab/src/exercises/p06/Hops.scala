package lab.exercises

import scala.concurrent.{ExecutionContext, Future, Promise}

/** Design: what should carry the request's id at four places of a service? The answer maps a place (`audit`, `price`, `batch`, `nightly`)
  * to a way to carry the id (`nothing`, `at execute`, `at map`, `with the message`).
  */
object Hops extends Cases[String => String]("06-hops") {
  trial("the audit log, a Java library, names the request that called it")(
    "The library calls `execute` on the thread of your request, and logs on its own thread. It uses no Future, so what would call `prepare()`?",
    "The library takes a `Runnable` and no id. At `execute`, the right thread is calling."
  ) { place =>
    val service = new Service(place, "audit")
    var seen = "nothing was logged"
    service.as("req-1")(service.context.execute { () => seen = service.id })
    service.run()
    Seen("req-1", seen)
  }
  trial("a price that two requests wait for is logged by each under its own id")(
    "One of the two requests looks up the price and completes the Future. Which thread submits the other one's step?",
    "At `execute` it is too late. A library writes the line and reads the MDC, so an explicit id doesn't reach it."
  ) { place =>
    val service = new Service(place, "price")
    val price = Promise[Int]()
    val step = service.as("req-2")(price.future.map(_ => service.id)(service.context))
    service.as("req-1")(price.success(1))
    service.run()
    Seen("req-2", step.value.fold("nothing was logged")(_.get))
  }
  trial("each line of a batch names its own request, not the one that filled the batch")(
    "One task writes the batch for several requests. Which thread local could contain several ids?",
    "The id is part of the batch's content: each entry has its own."
  ) { place =>
    val service = new Service(place, "batch")
    val entries = Seq("req-1", "req-2", "req-3")
    val written = service.as(entries.last)(Future(entries.map(service.idOf))(service.context))
    service.run()
    Seen(entries.mkString(", "), written.value.fold("nothing was written")(_.get.mkString(", ")))
  }
  trial("the nightly job, which the first request schedules, names no request")(
    "The job runs long after that request, and again each night. Whose id should its lines contain?",
    "A context that copies does so here, too, at either moment. So does a job that gets the id as an argument. A job that belongs to nobody should carry nothing."
  ) { place =>
    val service = new Service(place, "nightly")
    val job = service.as("req-1")(Future(service.idOf("req-1"))(service.context))
    service.run()
    Seen("none", job.value.fold("the job didn't run")(_.get))
  }

  /** A pool, with the way that was chosen for a place. */
  private final class Service(place: String => String, name: String) {
    private val way = place(name)
    private val (mdc, pool) = (new ThreadLocal[String], new Held)

    /** Runs every queued task, including other requests'. */
    def run(): Unit = pool.runAll()

    def as[T](id: String)(body: => T): T = as(Some(id))(body)

    /** Returns the id that code finds without being passed one. */
    def id: String = Option(mdc.get).getOrElse("none")

    /** Returns the id that code finds if it can be passed one with its data. */
    def idOf(entry: String): String = if (way == "with the message") entry else id

    val context: ExecutionContext = way match {
      case "nothing" | "with the message" => pool
      case "at execute" =>
        contextOf { task =>
          val id = Option(mdc.get); pool.execute(() => as(id)(task.run()))
        }
      case "at map" => new AtMap
      case other =>
        val known = s"there is no way '$other' for $name; there are nothing, at execute, at map and with the message"
        throw new IllegalArgumentException(known)
    }

    private final class AtMap extends ExecutionContext {
      def execute(task: Runnable): Unit = pool.execute(task)
      def reportFailure(cause: Throwable): Unit = pool.reportFailure(cause)
      @deprecated("Scala calls it once for each step, when the step is created", "2.12.0")
      override def prepare(): ExecutionContext = {
        val here = Option(mdc.get)
        contextOf(task => pool.execute(() => as(here)(task.run())))
      }
    }

    /** Runs `body` with this id, or with none, and puts back what was there. */
    private def as[T](id: Option[String])(body: => T): T = {
      val before = Option(mdc.get)
      put(id)
      try body
      finally put(before)
    }

    private def put(id: Option[String]): Unit = id.fold(mdc.remove())(mdc.set)
  }
}

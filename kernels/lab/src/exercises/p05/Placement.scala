package lab.exercises

import java.util.concurrent.{CountDownLatch, Executors}
import java.util.concurrent.atomic.AtomicInteger

import lab.show.Say

import scala.concurrent.{Await, ExecutionContext, ExecutionContextExecutorService, Future}
import scala.concurrent.duration._

/** Design: which context is right for a step that follows an answer from the network? The answer maps a kind of step (`rename`, `retry`,
  * `render`, `query`) to the name of a context (`direct`, `parasitic`, `app`, `blocking`).
  */
object Placement extends Cases[String => String]("05-placement") {
  private val (cpus, connections) = (2, 8)

  trial("the event loop answers a ping while the service renders and queries")(
    "How long does each of the four steps occupy its thread? A step that takes long must not run on the event loop, but `direct` and `parasitic` leave it there.",
    "`render` and `query` belong on pools. One pool has as many threads as there are CPUs, the other as many as there are connections."
  ) { place =>
    val answered = Seq("render", "query").map(kind => kind -> pingDuring(kind, place))
    Seen(
      answered.map { case (kind, _) => s"answered during a $kind" }.mkString(", "),
      answered.map { case (kind, came) => s"${if (came) "answered" else "no answer"} during a $kind" }.mkString(", ")
    )
  }
  trial("as many renders run simultaneously as there are CPUs")(
    "A render computes, so more renders than CPUs only share the CPUs. Which pool's size is the number of CPUs?"
  ) { place =>
    Seen(s"$cpus of 10 simultaneously", s"${concurrent("render", cpus, place)} of 10 simultaneously")
  }
  trial("as many queries run simultaneously as there are connections")(
    "A query waits for the database, and the pool's size is the limit. Which pool has as many threads as there are connections?"
  ) { place =>
    Seen(s"$connections of 10 simultaneously", s"${concurrent("query", connections, place)} of 10 simultaneously")
  }
  trial("a short step is submitted to no pool")(
    "`rename` and `retry` occupy a thread only for a moment, so a hand-off would cost more than they do. Two of the contexts submit nothing."
  ) { place =>
    val tasks = Seq("rename", "retry").map(kind =>
      kind -> withService(place) { service =>
        Await.result(Future.successful(1).map(_ + 1)(service.context(kind)), 2.seconds)
        service.handedOver.get
      }
    )
    Seen("rename: 0 tasks, retry: 0 tasks", tasks.map { case (kind, n) => s"$kind: ${Say.count(n, "task")}" }.mkString(", "))
  }
  trial("200,000 retries in a row need no deep stack")(
    "`retry` starts itself again, on top of the previous one's stack. Which of the two contexts that submit nothing returns from that stack?"
  ) { place =>
    withService(place) { service =>
      implicit val context: ExecutionContext = service.context("retry")
      def retry(left: Int): Future[Int] = if (left == 0) Future.successful(0) else Future.successful(left - 1).flatMap(retry)
      val end =
        try s"${Await.result(retry(200000), 2.seconds)} left"
        catch { case error: StackOverflowError => error.getClass.getSimpleName }
      Seen("0 left", end)
    }
  }

  /** An event loop of one thread and the two pools, as one kind of step after the other sees them. */
  private final class Service(place: String => String) {
    val loop: ExecutionContextExecutorService = pool(1)
    val handedOver = new AtomicInteger
    // Called here and not on a pool's thread, so that an unwritten answer is reported to the reader.
    private val chosen = Seq("rename", "retry", "render", "query").map(kind => kind -> place(kind)).toMap
    private val pools = Map("app" -> pool(cpus), "blocking" -> pool(connections))

    def context(kind: String): ExecutionContext = chosen(kind) match {
      case "direct"    => contextOf(_.run())
      case "parasitic" => ExecutionContext.parasitic
      case name =>
        val known = s"there is no context '$name' for $kind; there are direct, parasitic, app and blocking"
        val pool = pools.getOrElse(name, throw new IllegalArgumentException(known))
        contextOf { task => handedOver.incrementAndGet(); pool.execute(task) }
    }

    /** Runs `body` as a step after an answer that the loop has. */
    def step(kind: String)(body: => Unit): Unit = loop.execute { () => Future.successful(1).map(_ => body)(context(kind)); () }

    def close(): Unit = (loop +: pools.values.toSeq).foreach(_.shutdownNow())

    private def pool(size: Int) = ExecutionContext.fromExecutorService(Executors.newFixedThreadPool(size, daemons), _ => ())
  }

  private def withService[T](place: String => String)(use: Service => T): T = {
    val service = new Service(place)
    try use(service)
    finally service.close()
  }

  /** Returns whether the loop answers while a step of this kind runs that it started. */
  private def pingDuring(kind: String, place: String => String): Boolean = withService(place) { service =>
    val (begun, release, ping) = (new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1))
    service.step(kind) { begun.countDown(); release.await() }
    reach(begun)
    service.loop.execute(() => ping.countDown())
    val came = reach(ping, 1.second)
    release.countDown()
    came
  }

  /** Returns how many of ten steps of this kind begin if none of them ends. It waits a moment longer to see an extra one. */
  private def concurrent(kind: String, expected: Int, place: String => String): Int = withService(place) { service =>
    val (release, begun) = (new CountDownLatch(1), new AtomicInteger)
    val (enough, tooMany) = (new CountDownLatch(expected), new CountDownLatch(expected + 1))
    (1 to 10).foreach { _ =>
      service.step(kind) { begun.incrementAndGet(); Seq(enough, tooMany).foreach(_.countDown()); release.await() }
    }
    reach(enough, 1.second)
    reach(tooMany, 100.millis)
    try begun.get
    finally release.countDown()
  }
}

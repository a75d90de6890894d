package lab.exercises

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{Executors, ThreadPoolExecutor}

import lab.{Exercise, Load}
import lab.Exercise._

import scala.concurrent.duration._
import scala.concurrent.{ExecutionContext, Future}
import scala.util.Random

/** How many threads for this work: CPUs, requests per second, and for each request milliseconds of computing and of waiting. The answer is
  * tried by running it.
  */
object SizePool extends Exercise[(Int, Double, Double, Double) => Int]("07-size-pool") {
  override private[lab] def limit: FiniteDuration = 10.seconds

  def trials = Seq(
    Trial("work that waits: the queue stays short") { threads =>
      val (rate, wait) = service()
      val (asked, left) = run(threads(4, rate, 0.01, wait), rate, wait)
      Seen(s"at most ${asked / 10} of $asked still in the queue at the end", s"$left are", left <= asked / 10)
    },
    Trial("and no thread more than that takes, with half to spare") { threads =>
      val (rate, wait) = service()
      val most = math.ceil(1.5 * rate * (wait + 0.01) / 1000).toInt
      val size = threads(4, rate, 0.01, wait)
      Seen(s"at most $most threads", s"$size", size <= most)
    },
    Trial("work that computes, too much of it: not more threads than the CPUs can feed") { threads =>
      val (most, sizes) = Seq
        .fill(3) {
          val (cpus, compute, wait) = (2 + Random.nextInt(15), 4.0 + Random.nextInt(5), 10.0 * (1 + Random.nextInt(3)))
          (cpus * (1 + wait / compute), threads(cpus, 100000, compute, wait))
        }
        .unzip
      val fine = most.zip(sizes).forall { case (bound, size) => math.abs(size - bound) <= 1 }
      Seen(s"${most.map(Math.round(_)).mkString(", ")} threads, one more or less", sizes.mkString(", "), fine)
    }
  )

  def hints = Seq(
    "How many requests are under way at once, if each takes so long and so many come in a second? That many threads are busy.",
    "Little's law: threads = rate × time. Give a quarter more, for requests don't come evenly. But what if the CPUs can't compute that much?",
    "Then more threads only share the CPUs: at most CPUs × (1 + wait / compute). Take the smaller one of the two."
  )

  /** Requests a second, and how many milliseconds each waits. */
  private def service(): (Double, Double) = (150.0 + Random.nextInt(100), 30.0 + Random.nextInt(30))

  /** How many requests were sent, and how many of them wait in the queue when the last one has come. */
  private def run(threads: Int, rate: Double, wait: Double): (Int, Int) = {
    if (threads < 1 || threads > 1000) throw new IllegalArgumentException(s"a pool of $threads threads; 1 to 1000 were expected")
    val pool = Executors.newFixedThreadPool(threads, Exercise.threads).asInstanceOf[ThreadPoolExecutor]
    val (sent, left) = (new AtomicInteger, new AtomicInteger)
    try {
      val context = ExecutionContext.fromExecutor(pool, _ => ())
      Load.open(rate, 800.millis, timeOut = 100.millis).run("your pool") { () =>
        sent.incrementAndGet()
        left.set(pool.getQueue.size)
        Future(Thread.sleep(wait.toLong))(context)
      }
      (sent.get, left.get)
    } finally { pool.shutdownNow(); () }
  }
}

package lab.exercises

import lab.Exercise
import lab.Exercise._

import scala.util.Random

/** Put back the calls that a closed loop left out: each measured latency above the interval stands for several calls. The answer maps the
  * latencies of a client that should have called every so many milliseconds, and that interval, to the latencies that callers in time would
  * have seen.
  */
object Corrected extends Exercise[(Seq[Long], Long) => Seq[Long]]("02-corrected") {

  def trials = Seq(
    Trial("where no call takes longer than the interval, nothing is missing") { corrected =>
      val quick = Seq.fill(some())(1L + Random.nextInt(50))
      comparison(quick, corrected(quick, 50))
    },
    Trial("while one call takes four intervals and a bit, four more were due") { corrected =>
      val (every, bit) = (10L + Random.nextInt(10), 1L + Random.nextInt(9))
      comparison((0 to 4).map(missed => missed * every + bit), corrected(Seq(4 * every + bit), every))
    },
    Trial("a call that is due in the moment of the answer needn't wait") { corrected =>
      val every = 10L + Random.nextInt(10)
      comparison(Seq(3 * every, 2 * every, every), corrected(Seq(3 * every), every))
    },
    Trial("among many calls, each slow one brings its own") { corrected =>
      val (every, calls) = (5L + Random.nextInt(10), some())
      val measured = Seq.fill(calls)(1L + Random.nextInt(60))
      comparison(measured.flatMap(latency => latency until 0L by -every), corrected(measured, every))
    }
  )

  def hints = Seq(
    "While the client waits for a slow answer, its next calls are due after one interval, two, three. When would each of them have been answered?",
    "All of them when the slow one is. So the first missing call would have waited one interval less than the slow one, the next two intervals less.",
    "For each latency: itself, itself minus the interval, minus twice the interval, as long as that is above zero. `latency until 0L by -every` is such a range."
  )

  private def comparison(expected: Seq[Long], happened: Seq[Long]): Seen =
    Seen(expected.sorted.mkString(" "), happened.sorted.mkString(" "))

  private def some(): Int = 5 + Random.nextInt(5)
}

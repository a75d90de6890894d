package lab.exercises

import scala.util.Random

/** A beat of an event loop: when it was due, and when the loop ran it. */
final case class Beat(loop: String, dueMillis: Int, ranMillis: Int)

/** A profiler's sample: the method in which it found a thread, and when. */
final case class Sample(atMillis: Int, thread: String, method: String)

/** Find the method that holds up an event loop, from the loop's beats and a profiler's samples. */
object Culprit extends Cases[(Seq[Beat], Seq[Sample]) => String]("09-culprit") {
  trial("the method that is sampled while the loop's beats are overdue")(
    "A beat is overdue from the moment when it is due until it runs. What did the loop's thread do in between?",
    "Keep the samples between `dueMillis` and `ranMillis` of a late beat, on the same thread. Return the method that appears most often."
  )(found(_.copy(elsewhere = 0, idle = 0, pool = 0, busy = 0)))
  trial("not the method with the most samples: a loop that has nothing to do is sampled while it waits")(
    "Most of the time a loop waits in its selector. Is it late then?",
    "Count only samples while a beat is overdue: `beat.dueMillis <= sample.atMillis && sample.atMillis < beat.ranMillis`."
  )(found(_.copy(elsewhere = 0, pool = 0)))
  trial("not a method that blocks another thread")(
    "A pool's thread may sleep as long as it likes. Whose beats are late?",
    "A sample belongs to a beat only if `sample.thread == beat.loop`."
  )(found(_.copy(elsewhere = 0)))
  trial("not what another loop does at the same moment")(
    "There are two loops: one is held up, the other is busy with short tasks. Which beats belong to which samples?"
  )(found(identity))
  trial("not what comes first or takes longest once, but what the late beats have in common")(
    "A short task is sampled now and then while a beat is overdue, and often at other times. Which method fills the times when a beat is overdue?"
  )(found(_.copy(short = 2)))

  /** The numbers of samples other than the culprit's. */
  private final case class Noise(elsewhere: Int, idle: Int, pool: Int, busy: Int, short: Int)

  private val usual = Noise(elsewhere = 12, idle = 40, pool = 12, busy = 30, short = 1)

  private def found(noise: Noise => Noise)(answer: (Seq[Beat], Seq[Sample]) => String): Seen = {
    val (beats, samples, culprit) = evidence(noise(usual))
    Seen(culprit, answer(beats, samples)).of(
      s"${beats.count(beat => beat.ranMillis - beat.dueMillis > 20)} late beats of ${beats.size}, ${samples.size} samples"
    )
  }

  /** Returns the example that the page shows: a second of two loops. */
  def example(): (Seq[Beat], Seq[Sample]) = {
    val (beats, samples, _) = evidence(usual)
    (beats, samples)
  }

  private def evidence(noise: Noise): (Seq[Beat], Seq[Sample], String) = {
    val methods = Random.shuffle(Vector("Orders.load", "Prices.parse", "Users.find", "Mail.send"))
    val (culprit, short, other, pooled) = (methods(0), methods(1), methods(2), methods(3))
    val (held, free) = if (Random.nextBoolean()) ("loop-1", "loop-2") else ("loop-2", "loop-1")
    val holds = Seq(some(80, 200), some(400, 500), some(700, 800)).map(from => (from, from + some(90, 160)))
    // There is a beat every 20 ms. A beat that is due while the loop is held up runs when the loop is free again.
    val beats = (0 until 1000 by 20).flatMap { due =>
      val until = holds.collectFirst { case (from, until) if from <= due && due < until => until }.getOrElse(due)
      Seq(Beat(held, due, until + some(0, 2)), Beat(free, due, due + some(0, 2)))
    }
    def during(n: Int, thread: String, method: String): Seq[Sample] =
      holds.flatMap { case (from, until) => Seq.fill(n)(Sample(some(from + 25, until - 1), thread, method)) }
    val quiet = (0 until 1000).filterNot(at => holds.exists { case (from, until) => from - 5 <= at && at < until + 25 })
    def otherwise(n: Int, thread: String, method: String): Seq[Sample] =
      Seq.fill(n)(Sample(quiet(Random.nextInt(quiet.size)), thread, method))
    val samples = during(8, held, culprit) ++ during(noise.short, held, short) ++ during(noise.elsewhere, free, other) ++
      during(noise.pool, "pool-1", pooled) ++ otherwise(noise.busy, held, short) ++
      Seq(held, free).flatMap(otherwise(noise.idle, _, "Selector.select"))
    (beats, Random.shuffle(samples).sortBy(_.atMillis), culprit)
  }
}

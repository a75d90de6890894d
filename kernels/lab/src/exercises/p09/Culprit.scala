package lab.exercises

import scala.util.Random

/** One beat of an event loop: a task that the loop was to run at a moment, and the moment at which it ran it. */
final case class Beat(loop: String, dueMillis: Int, ranMillis: Int)

/** Which method a thread was in when a profiler looked at it. */
final case class Sample(atMillis: Int, thread: String, method: String)

/** Find the method that holds an event loop, from what its beats and a profiler have noted. */
object Culprit extends Cases[(Seq[Beat], Seq[Sample]) => String]("09-culprit") {
  trial("the method that is seen while the loop's beats are overdue")(
    "A beat is overdue from the moment it is due until it runs. What did the loop's thread do in between?",
    "Keep the samples that lie between `dueMillis` and `ranMillis` of a late beat, on the same thread, and take the method that is seen most."
  )(found(_.copy(elsewhere = 0, idle = 0, pool = 0, busy = 0)))
  trial("not what is seen most of all: a loop that has nothing to do is seen waiting")(
    "Most of the time a loop waits in its selector. Is it late then?",
    "Count only samples from overdue stretches: `beat.dueMillis <= sample.atMillis && sample.atMillis < beat.ranMillis`."
  )(found(_.copy(elsewhere = 0, pool = 0)))
  trial("not what blocks on another thread")(
    "A thread of a pool may sleep as long as it likes. Whose beats are late?",
    "A sample belongs to a beat only if `sample.thread == beat.loop`."
  )(found(_.copy(elsewhere = 0)))
  trial("not what another loop does in the same moment")(
    "Two loops: one is held, one is busy with short things. Which beats go with which samples?"
  )(found(identity))
  trial("not what comes first or takes longest once, but what the late beats have in common")(
    "A short task is seen now and then in an overdue stretch, and often in others. Which one fills the overdue ones?"
  )(found(_.copy(short = 2)))

  /** How many samples of what there are besides the culprit's. */
  private final case class Noise(elsewhere: Int, idle: Int, pool: Int, busy: Int, short: Int)

  private val usual = Noise(elsewhere = 12, idle = 40, pool = 12, busy = 30, short = 1)

  private def found(noise: Noise => Noise)(answer: (Seq[Beat], Seq[Sample]) => String): Seen = {
    val (beats, samples, culprit) = evidence(noise(usual))
    Seen(culprit, answer(beats, samples)).of(
      s"${beats.count(beat => beat.ranMillis - beat.dueMillis > 20)} late beats of ${beats.size}, ${samples.size} samples"
    )
  }

  /** What the page shows: a second of two loops. */
  def example(): (Seq[Beat], Seq[Sample]) = {
    val (beats, samples, _) = evidence(usual)
    (beats, samples)
  }

  private def evidence(noise: Noise): (Seq[Beat], Seq[Sample], String) = {
    val methods = Random.shuffle(Vector("Orders.load", "Prices.parse", "Users.find", "Mail.send"))
    val (culprit, short, other, pooled) = (methods(0), methods(1), methods(2), methods(3))
    val (held, free) = if (Random.nextBoolean()) ("loop-1", "loop-2") else ("loop-2", "loop-1")
    val holds = Seq(some(80, 200), some(400, 500), some(700, 800)).map(from => (from, from + some(90, 160)))
    // A beat each 20 ms; who is due while the loop is held runs when it is free again.
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

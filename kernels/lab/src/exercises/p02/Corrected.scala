package lab.exercises

import scala.util.Random

/** Put back the calls that a closed loop left out: each measured latency above the interval stands for several calls. The answer maps the
  * latencies of a client that should have called every so many milliseconds, and that interval, to the latencies that callers in time would
  * have seen.
  */
object Corrected extends Cases[(Seq[Long], Long) => Seq[Long]]("02-corrected") {
  trial("where no call takes longer than the interval, nothing is missing")(
    "While an answer comes within the interval, the next call isn't due yet. What was measured stays as it is, all of it."
  ) { corrected =>
    val quick = Seq.fill(some(5, 9))(some(1, 49).toLong)
    comparison(corrected, quick :+ quick.head, 50)(quick :+ quick.head)
  }
  trial("while one call takes four intervals and a bit, four more were due")(
    "While the client waits for a slow answer, its next calls are due after one interval, two, three, four. When would each of them have been answered?",
    "All of them when the slow one is. So the first missing call would have waited one interval less than the slow one, the next two intervals less.",
    "For each latency: itself, itself minus the interval, minus twice the interval, as long as that is above zero. `latency until 0L by -every` is such a range."
  ) { corrected =>
    val (every, bit) = (some(10, 19).toLong, some(1, 9).toLong)
    comparison(corrected, Seq(4 * every + bit), every)((0 to 4).map(missed => missed * every + bit))
  }
  trial("a call that is due in the moment of the answer needn't wait")(
    "Here the latency is a multiple of the interval. The last of the missing calls would have waited for nothing: leave it out."
  ) { corrected =>
    val every = some(10, 19).toLong
    comparison(corrected, Seq(3 * every), every)(Seq(3 * every, 2 * every, every))
  }
  trial("among many calls, each slow one brings its own")(
    "With one call you are right. What differs here: several are slow, and some are equal. `measured.flatMap` takes them one by one."
  ) { corrected =>
    val (every, calls) = (5L + Random.nextInt(10), some(5, 9))
    val slow = 3 * every + 1L
    val measured = Random.shuffle(Seq(slow, slow) ++ Seq.fill(calls)(1L + Random.nextInt(60)))
    comparison(corrected, measured, every)(measured.flatMap(latency => latency until 0L by -every))
  }

  private def comparison(corrected: (Seq[Long], Long) => Seq[Long], measured: Seq[Long], every: Long)(expected: Seq[Long]): Seen =
    Seen(ordered(expected), ordered(corrected(measured, every))).of(s"measured ${ordered(measured)}, every $every")

  private def ordered(latencies: Seq[Long]): String = if (latencies.isEmpty) "nothing" else latencies.sorted.mkString(" ")
}

package lab.exercises

import scala.util.Random

/** Add the calls that a closed loop left out: each measured latency above the interval hides several calls. The answer gets the latencies
  * of a client that should have called at a fixed interval, and that interval. It returns the latencies that punctual calls would have
  * seen.
  */
object Corrected extends Cases[(Seq[Long], Long) => Seq[Long]]("02-corrected") {
  trial("if no call takes longer than the interval, nothing is missing")(
    "If each answer comes within the interval, the next call isn't due yet. Keep what was measured, all of it."
  ) { corrected =>
    val quick = Seq.fill(some(5, 9))(some(1, 49).toLong)
    comparison(corrected, quick :+ quick.head, 50)(quick :+ quick.head)
  }
  trial("while one call takes a little more than four intervals, four more are due")(
    "While the client waits for a slow answer, its next calls are due after one, two, three and four intervals. When would each of them have been answered?",
    "All of them are answered together with the slow one. So the first missing call would have waited one interval less than the slow one, the next one two intervals less.",
    "For each latency, return the latency itself, the latency minus one interval, minus two intervals, and so on, as long as the result is above zero. `latency until 0L by -every` is such a range."
  ) { corrected =>
    val (every, bit) = (some(10, 19).toLong, some(1, 9).toLong)
    comparison(corrected, Seq(4 * every + bit), every)((0 to 4).map(missed => missed * every + bit))
  }
  trial("a call that is due at the moment of the answer isn't missing")(
    "Here the latency is a multiple of the interval. The last call would have waited for 0 ms, so leave it out."
  ) { corrected =>
    val every = some(10, 19).toLong
    comparison(corrected, Seq(3 * every), every)(Seq(3 * every, 2 * every, every))
  }
  trial("among many calls, each slow one adds its own missing calls")(
    "Your answer is right for one call. Here several are slow, and some are equal. `measured.flatMap` handles them one by one."
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

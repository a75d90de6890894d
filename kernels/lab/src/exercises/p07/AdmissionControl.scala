package lab.exercises

import lab.exercises.Replay.{ms, Fate}

import scala.util.Random

/** A service that gets too many requests.
  *
  * @param millis         how long a request occupies a thread
  * @param slowMillis     the same while the database is slow
  * @param patienceMillis the time after which clients leave
  */
final case class BusyService(threads: Int, millis: Double, slowMillis: Double, patienceMillis: Double)

/** Design: which requests does a service accept if more come than it can serve? The answer maps it to a queue's length and a deadline.
  * [[Replay]] computes minutes of bursts, and nothing runs.
  */
object AdmissionControl extends Cases[BusyService => Admission]("07-admission", Cases.workedOut) {
  trial("a burst that can be served in time is served, and none of its requests is rejected")(
    "This burst comes at one moment, and the last of its requests would be answered in time. How many may wait, if `threads` threads each need `millis` for one request?",
    "In the time that a client may wait, each thread serves (time / millis) requests. The queue's length is that number times the threads. And the deadline must not reject these requests earlier."
  ) { admit =>
    val day = Day.large()
    val crowd = Seq.fill((0.6 * day.threads * day.rounds).toInt)(5.0)
    val fates = day.fates(admit)((Replay.arrivals(0.5 * day.perSecond, 0, 10) ++ crowd).sorted)
    Seen(s"0 of ${fates.size} rejected", s"${fates.count(_.refused)} of ${fates.size} rejected").of(day.described(admit))
  }
  trial("twice as many come as can be served: those that are answered are answered in time")(
    "In an unbounded queue every request waits, longer and longer. How long does the last one of a full queue wait?",
    "The queue is too long, or the deadline too late. A request that waits for the whole deadline still needs time to be served."
  ) { admit =>
    val (day, fates) = crowded(admit, Day.small())
    val took = Replay.percentile(fates.flatMap(_.took), 0.99)
    Seen(s"99 of 100 within ${ms(day.patience)}", s"99 of 100 within ${ms(took)}", took <= day.patience + Replay.hair)
      .of(day.described(admit))
  }
  trial("and the threads do useful work: nine tenths of what they can serve is answered in time")(
    "A request that is served too late is a loss, and so is one that is rejected while a thread is idle. Which of the two is it? The queue has to be long enough to keep the threads busy, and short enough to be in time."
  ) { admit =>
    val (day, fates) = crowded(admit)
    day.useful(fates, 60 / day.each, 0.9).of(day.described(admit))
  }
  trial("and of the rejected ones, at least 95 % are rejected immediately")(
    "The deadline only rejects requests that have already waited. If there is no place for a request in time, the full queue should reject it when it comes.",
    "A full queue should be served within the deadline, so it has threads × deadline / millis places."
  ) { admit =>
    val (day, fates) = crowded(admit)
    val refused = fates.filter(_.refused)
    val immediately = refused.count(_.waited == 0).toDouble / refused.size.max(1)
    val happened = if (refused.isEmpty) "no request is rejected" else s"${percent(immediately)} of the rejected"
    Seen("at least 95 % of the rejected", happened, immediately >= 0.95).of(day.described(admit))
  }
  trial("soon after the burst is over, no request waits because of it")(
    "What is in the queue when the burst ends has to be served or rejected. How much is that at most?"
  ) { admit =>
    val day = Day.any()
    val calm = Replay.arrivals(0.5 * day.perSecond, 60, 90)
    val fates = day.fates(admit)(Replay.arrivals(2 * day.perSecond, 0, 60) ++ calm).filter(_.at > 61 + day.patience)
    val took = Replay.percentile(fates.flatMap(_.took), 0.99)
    val most = day.patience / 2
    Seen(
      s"all served, 99 of 100 within ${ms(most)}",
      s"${if (fates.exists(_.refused)) "not all" else "all"} served, 99 of 100 within ${ms(took)}",
      took <= most && !fates.exists(_.refused)
    ).of(day.described(admit))
  }
  trial("the database is slow: four fifths of what can be answered is answered in time")(
    "Each request takes `slowMillis` now, and your queue doesn't know that. If a request's turn comes too late, it is served in vain. What do you know about a request when its turn comes?",
    "A request that has waited for longer than `patienceMillis - slowMillis` may not be answered in time. So that is the deadline."
  ) { admit =>
    val day = Day.any()
    val fates = day.fates(admit, slow = true)(Replay.arrivals(0.7 * day.perSecond, 0, 60)).filter(_.at > 5)
    day.useful(fates, 55 / day.slow, 0.8).of(day.described(admit))
  }

  private type Answer = BusyService => Admission

  /** @param each   the seconds that a request takes
    * @param rounds how many requests, one after the other, a thread can serve so that a client still has the time for a slow one
    */
  private final case class Day(threads: Int, each: Double, rounds: Int) {
    def slow: Double = 5 * each
    def patience: Double = rounds * each + slow
    def perSecond: Double = threads / each

    def admission(admit: Answer): Admission = {
      val answer = admit(BusyService(threads, each * 1000, slow * 1000, patience * 1000))
      if (answer.queue < 0 || !(answer.deadlineMillis >= 0))
        throw new IllegalArgumentException(s"$answer; neither can be less than 0")
      answer
    }

    def fates(admit: Answer, slow: Boolean = false)(arrivals: Seq[Double]): Seq[Fate] = {
      val Admission(queue, deadline) = admission(admit)
      Replay(threads, queue, deadline / 1000)(arrivals.map(Replay.Request(_, _ => if (slow) this.slow else each)))
    }

    /** Checks that at least the `share` of `canServe`, which is what each thread can serve, was answered in time. */
    def useful(fates: Seq[Fate], canServe: Double, share: Double): Seen = {
      val part = fates.count(_.took.exists(_ <= patience + Replay.hair)) / (threads * canServe)
      Seen(s"at least ${percent(share)}", percent(part), part >= share)
    }

    def described(admit: Answer): String = {
      val Admission(queue, deadline) = admission(admit)
      s"$threads threads, ${ms(each)} each, ${ms(slow)} when slow, patience ${ms(patience)}; your queue $queue, your deadline ${ms(deadline / 1000)}"
    }
  }
  private object Day {
    def small(): Day = Day(some(3, 4), 0.015 + 0.001 * some(0, 3), some(12, 14))
    def large(): Day = Day(some(7, 9), 0.035 + 0.001 * some(0, 5), some(20, 24))
    def any(): Day = if (Random.nextBoolean()) small() else large()
  }

  /** A minute in which twice as many requests come as can be served. */
  private def crowded(admit: Answer, day: Day = Day.any()): (Day, Seq[Fate]) =
    (day, day.fates(admit)(Replay.arrivals(2 * day.perSecond, 0, 60)))

  private def percent(share: Double): String = f"${share * 100}%.0f %%"
}

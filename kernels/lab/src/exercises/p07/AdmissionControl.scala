package lab.exercises

import lab.exercises.Replay.{ms, Fate}

import scala.util.Random

/** A service to which too many come.
  *
  * @param millis         that a request holds a thread
  * @param slowMillis     the same while the database is slow
  * @param patienceMillis after which visitors leave
  */
final case class BusyService(threads: Int, millis: Double, slowMillis: Double, patienceMillis: Double)

/** Design: whom does a service let in when more come than it can serve? The answer maps it to a queue's length and a deadline. Minutes of
  * crowds are worked out by [[Replay]]; nothing runs.
  */
object AdmissionControl extends Cases[BusyService => Admission]("07-admission", Cases.workedOut) {
  trial("a crowd that can be served in time is served: nobody is refused")(
    "All of this crowd come at once, and the last of them would be answered in time. How many may wait, if so many threads take one after the other for so long?",
    "In the time that a visitor may wait, each thread serves (time / millis) requests: that many times the threads is the queue's length. And the deadline mustn't turn them away before."
  ) { admit =>
    val day = Day.large()
    val crowd = Seq.fill((0.6 * day.threads * day.rounds).toInt)(5.0)
    val fates = day.fates(admit)((Replay.arrivals(0.5 * day.perSecond, 0, 10) ++ crowd).sorted)
    Seen(s"0 of ${fates.size} refused", s"${fates.count(_.refused)} of ${fates.size} refused").of(day.told(admit))
  }
  trial("twice as many come as can be served: who is answered is answered in time")(
    "In a queue without end everybody waits, ever longer. How long does the last one of a full queue wait?",
    "The queue is too long, or the deadline too late: a request that waits as long as your deadline allows still takes its time to be served."
  ) { admit =>
    val (day, fates) = crowded(admit, Day.small())
    val took = Replay.percentile(fates.flatMap(_.took), 0.99)
    Seen(s"99 of 100 within ${ms(day.patience)}", s"99 of 100 within ${ms(took)}", took <= day.patience + Replay.hair)
      .of(day.told(admit))
  }
  trial("and the threads are put to use: nine tenths of what they can serve is answered in time")(
    "Who is served too late, or turned away while a thread is idle, is a loss. Which of the two is it? The queue has to be long enough to keep the threads busy, and short enough to be in time."
  ) { admit =>
    val (day, fates) = crowded(admit)
    day.useful(fates, 60 / day.each, 0.9).of(day.told(admit))
  }
  trial("and who is refused is told at once, nineteen times of twenty")(
    "The deadline refuses those who have waited already. Where there is no place for them in time, let the queue's length say so when they come.",
    "A full queue should be served within the deadline: threads × deadline / millis places."
  ) { admit =>
    val (day, fates) = crowded(admit)
    val refused = fates.filter(_.refused)
    val atOnce = refused.count(_.waited == 0).toDouble / refused.size.max(1)
    val happened = if (refused.isEmpty) "nobody is refused" else s"${percent(atOnce)} of the refused"
    Seen("at least 95 % of the refused", happened, atOnce >= 0.95).of(day.told(admit))
  }
  trial("a second after the crowd has gone, nobody waits for it any more")(
    "What stands in the queue when the crowd goes has to be worked off, or turned away. How much is that at most?"
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
    ).of(day.told(admit))
  }
  trial("the database is slow: four fifths of what can be answered is answered in time")(
    "Each request takes `slowMillis` now, and your queue doesn't know that. Whose turn comes too late is served in vain. What can you tell of a request when its turn comes?",
    "Who has waited longer than `patienceMillis - slowMillis` can't be sure of an answer in time: that is the deadline."
  ) { admit =>
    val day = Day.any()
    val fates = day.fates(admit, slow = true)(Replay.arrivals(0.7 * day.perSecond, 0, 60)).filter(_.at > 5)
    day.useful(fates, 55 / day.slow, 0.8).of(day.told(admit))
  }

  private type Answer = BusyService => Admission

  /** @param each   seconds for a request
    * @param rounds so many requests one after the other leave a visitor the time for a slow one
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

    /** Whether of what each thread `canServe` at least `share` was answered in time. */
    def useful(fates: Seq[Fate], canServe: Double, share: Double): Seen = {
      val part = fates.count(_.took.exists(_ <= patience + Replay.hair)) / (threads * canServe)
      Seen(s"at least ${percent(share)}", percent(part), part >= share)
    }

    def told(admit: Answer): String = {
      val Admission(queue, deadline) = admission(admit)
      s"$threads threads, ${ms(each)} each, ${ms(slow)} when slow, patience ${ms(patience)}; your queue $queue, your deadline ${ms(deadline / 1000)}"
    }
  }
  private object Day {
    def small(): Day = Day(some(3, 4), 0.015 + 0.001 * some(0, 3), some(12, 14))
    def large(): Day = Day(some(7, 9), 0.035 + 0.001 * some(0, 5), some(20, 24))
    def any(): Day = if (Random.nextBoolean()) small() else large()
  }

  /** A minute in which twice as many come as can be served. */
  private def crowded(admit: Answer, day: Day = Day.any()): (Day, Seq[Fate]) =
    (day, day.fates(admit)(Replay.arrivals(2 * day.perSecond, 0, 60)))

  private def percent(share: Double): String = f"${share * 100}%.0f %%"
}

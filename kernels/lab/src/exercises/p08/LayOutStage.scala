package lab.exercises

import scala.util.Random

/** Design: how is a stage of a stream laid out? The answer maps a [[Feed]] to a [[StageLayout]]; both are judged by arithmetic. */
object LayOutStage extends Cases[Feed => StageLayout]("08-stage") {
  trial("enough are under way to keep up: a quarter more than the mean, or thereabouts")(
    "So many elements come in a second, and each is under way for so long. How many are under way at the same time?",
    "Little's law: `perSecond * workMillis / 1000` are under way on average. A quarter more is neither too few nor too many."
  ) { layout =>
    def least(feed: Feed) = 1.2 * feed.mean
    def most(feed: Feed) = math.ceil(1.5 * feed.mean).toInt
    judge(feeds(), layout)(feed => s"something from ${math.ceil(least(feed)).toInt} to ${most(feed)}") { (feed, stage) =>
      (s"${stage.parallelism}", stage.parallelism >= least(feed) && stage.parallelism <= most(feed))
    }
  }
  trial("work that blocks has a thread for each Future under way, in a pool of its own")(
    "What does an element need while it is under way, if its work blocks? And whose threads should that not be?",
    "`threads` of its own, as many as `parallelism`: with fewer some wait in the pool's queue, with more some are idle."
  ) { layout =>
    judge(feeds().map(_.copy(blocks = true)), layout)(_ => "as many threads as are under way") { (_, stage) =>
      (s"${stage.threads} for ${stage.parallelism}", stage.threads == stage.parallelism)
    }
  }
  trial("work that doesn't block needs no pool")(
    "A Future that waits for an answer from the network: which thread does it hold?",
    "None. `threads` is 0 where `blocks` is false."
  ) { layout =>
    judge(feeds().map(_.copy(blocks = false)), layout)(_ => "0 threads")((_, stage) => (s"${stage.threads} threads", stage.threads == 0))
  }
  trial("a source that can wait is asked to: no element is lost")(
    "Which of the two answers to a full buffer loses nothing? Which sources can live with it?"
  ) { layout =>
    judge(feeds().map(_.copy(canWait = true)), layout)(_ => "backpressure") { (_, stage) =>
      (stage.whenFull, stage.whenFull == "backpressure")
    }
  }
  trial("one that can't loses the oldest, and only when a burst doesn't fit into the room that there is")(
    "Back-pressure doesn't stop a sensor. What is full then, and what is the newest reading worth beside the oldest?",
    "The buffer takes the burst, as far as there is room: `roomMiB * 1024 / elementKiB` elements in all, less those under way. It drops the oldest.",
    "`burst.min(room - parallelism)` places, and `dropHead`."
  ) { layout =>
    judge(feeds().map(_.copy(canWait = false)), layout)(feed => s"dropHead, places for ${feed.burst} or as many as there are") {
      (feed, stage) =>
        val wanted = feed.burst.min(feed.room - stage.parallelism)
        (s"${stage.whenFull}, ${stage.buffer}", stage.whenFull == "dropHead" && stage.buffer >= wanted)
    }
  }
  trial("what lies in the stage fits into its room")(
    "Elements under way and elements in the buffer weigh the same. How many fit?",
    "`(buffer + parallelism) * elementKiB` is at most `roomMiB * 1024`."
  ) { layout =>
    judge(feeds() ++ feeds().map(_.copy(canWait = false)), layout)(feed => s"at most ${feed.room} elements") { (feed, stage) =>
      val all = stage.buffer.toLong + stage.parallelism
      (s"$all", stage.buffer >= 0 && all <= feed.room)
    }
  }

  private implicit class Derived(feed: Feed) {
    def mean: Double = feed.perSecond * feed.workMillis / 1000.0
    def room: Int = feed.roomMiB * 1024 / feed.elementKiB
  }

  /** One whose burst fits, and one whose doesn't. */
  private def feeds(): Seq[Feed] = Random.shuffle(Seq(some(20, 60), some(400, 900))).map { burst =>
    Feed(some(80, 300), some(100, 400), Random.nextBoolean(), burst, Random.nextBoolean(), 64, some(14, 18))
  }

  private def judge(feeds: Seq[Feed], layout: Feed => StageLayout)(
      expected: Feed => String
  )(found: (Feed, StageLayout) => (String, Boolean)): Seen = firstWrong(feeds.map { feed =>
    val (happened, fine) = found(feed, layout(feed))
    Seen(expected(feed), happened, fine).of(s"$feed")
  })
}

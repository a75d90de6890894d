package lab.exercises

import scala.util.Random

/** Design: how do you lay out a stage of a stream? The answer maps a [[Feed]] to a [[StageLayout]], and arithmetic judges it. */
object LayOutStage extends Cases[Feed => StageLayout]("08-stage") {
  trial("enough elements are in flight to keep up: about a quarter more than the mean")(
    "`perSecond` elements come in a second, and each is in flight for `workMillis`. How many are in flight simultaneously?",
    "Little's law: `perSecond * workMillis / 1000` are in flight on average. A quarter more is neither too few nor too many."
  ) { layout =>
    def least(feed: Feed) = 1.2 * feed.mean
    def most(feed: Feed) = math.ceil(1.5 * feed.mean).toInt
    judge(feeds(), layout)(feed => s"a number from ${math.ceil(least(feed)).toInt} to ${most(feed)}") { (feed, stage) =>
      (s"${stage.parallelism}", stage.parallelism >= least(feed) && stage.parallelism <= most(feed))
    }
  }
  trial("work that blocks has a thread for each Future in flight, in a dedicated pool")(
    "What does an element in flight need, if its work blocks? And whose threads should it not take?",
    "It needs dedicated `threads`, as many as `parallelism`. With fewer, some elements wait in the pool's queue. With more, some threads are idle."
  ) { layout =>
    judge(feeds().map(_.copy(blocks = true)), layout)(_ => "as many threads as Futures in flight") { (_, stage) =>
      (s"${stage.threads} for ${stage.parallelism}", stage.threads == stage.parallelism)
    }
  }
  trial("work that doesn't block needs no pool")(
    "A Future waits for an answer from the network. Which thread does it occupy?",
    "None. If `blocks` is false, `threads` is 0."
  ) { layout =>
    judge(feeds().map(_.copy(blocks = false)), layout)(_ => "0 threads")((_, stage) => (s"${stage.threads} threads", stage.threads == 0))
  }
  trial("a source that can wait is asked to, so no element is lost")(
    "There are two ways to handle a full buffer. Which of them loses nothing? Which sources can wait?"
  ) { layout =>
    judge(feeds().map(_.copy(canWait = true)), layout)(_ => "backpressure") { (_, stage) =>
      (stage.whenFull, stage.whenFull == "backpressure")
    }
  }
  trial("a source that can't wait loses the oldest elements, and only if a burst doesn't fit into the room")(
    "Backpressure doesn't stop a sensor. What is full then? And what is the newest reading worth, compared with the oldest?",
    "The buffer takes the burst, as far as there is room. The room is `roomMiB * 1024 / elementKiB` elements in all, less those in flight. A full buffer drops the oldest.",
    "`burst.min(room - parallelism)` places, and `dropHead`."
  ) { layout =>
    judge(feeds().map(_.copy(canWait = false)), layout)(feed => s"dropHead, places for ${feed.burst} or as many as there are") {
      (feed, stage) =>
        val wanted = feed.burst.min(feed.room - stage.parallelism)
        (s"${stage.whenFull}, ${stage.buffer}", stage.whenFull == "dropHead" && stage.buffer >= wanted)
    }
  }
  trial("the elements in the stage fit into its room")(
    "An element in flight is as large as one in the buffer. How many fit?",
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

  /** Two feeds, one whose burst fits and one whose burst doesn't. */
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

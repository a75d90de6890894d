package lab.exercises

import scala.util.Random

/** Design: which threads does a call get, and how many? The answer maps a [[Call]] to [[Threads]]. */
object GiveThreads extends Cases[Call => Threads]("10-threads") {
  trial("what waits on a socket: virtual threads, as many as come")(
    "A virtual thread that waits for a socket holds no thread of the system. Is there a reason for fewer than `atOnce`?"
  )(each(any("socket").map(_.copy(most = 0)))(call => Threads("virtual", call.atOnce)))
  trial("and no more than the other side takes")(
    "The pool's size was a limit, too. What protects the database's connections now?",
    "`most` of the call where it isn't 0, `atOnce` where it is."
  )(each(any("socket").map(call => call.copy(most = call.atOnce / some(2, 4))))(call => Threads("virtual", call.most)))
  trial("what computes: platform threads, one for each CPU, however many come")(
    "A carrier that computes serves nobody else. How many computations can go on at once on this machine, and who shares a CPU fairly among threads?",
    "`Threads(\"platform\", cpus)`."
  )(each(any("computes").map(_.copy(most = 0)))(call => Threads("platform", call.cpus)))

  trial("waiting inside of `synchronized`: it depends on the JDK")(
    "Look at the table of the ways to wait. Between which two JDKs does this row change?",
    "From JDK 24 on (JEP 491) a virtual thread that waits in a monitor leaves its carrier; before, it doesn't."
  ) {
    each(Seq(21, 23, 24, 25).flatMap(jdk => any("synchronized").map(_.copy(jdk = jdk))))(call =>
      Threads(if (call.jdk >= 24) "virtual" else "platform", limit(call))
    )
  }
  trial("waiting for a pipe: platform threads, on any JDK")(
    "A read from a file holds the carrier on every JDK. And a spare carrier is a platform thread, too."
  )(each(Seq(21, 25).flatMap(jdk => any("file").map(_.copy(jdk = jdk))))(call => Threads("platform", limit(call))))
  trial("waiting in native code: platform threads, on any JDK")(
    "Who could take the frames of C off a stack?"
  )(each(Seq(21, 25).flatMap(jdk => any("native").map(_.copy(jdk = jdk))))(call => Threads("platform", limit(call))))

  private def limit(call: Call): Int = if (call.most > 0) call.most else call.atOnce

  /** One without a limit on the other side, and one with. */
  private def any(does: String): Seq[Call] = Random.shuffle(Seq(0, some(5, 60))).map { most =>
    Call(does, Seq(21, 25)(some(0, 1)), some(2, 32), some(100, 5000), most)
  }

  private def each(calls: => Seq[Call])(expected: Call => Threads)(answer: Call => Threads): Seen =
    firstWrong(calls.map(call => Seen(expected(call), answer(call)).of(s"$call")))
}

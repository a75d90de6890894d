package lab.exercises

import scala.util.Random

/** Design: which threads does a call get, and how many? The answer maps a [[Call]] to [[Threads]]. */
object GiveThreads extends Cases[Call => Threads]("10-threads") {
  trial("what waits on a socket: virtual threads, as many as calls come")(
    "A virtual thread that waits for a socket occupies no OS thread. Is there a reason for fewer than `concurrent`?"
  )(each(any("socket").map(_.copy(most = 0)))(call => Threads("virtual", call.concurrent)))
  trial("and no more than the other side takes")(
    "The pool's size was a limit, too. What protects the database's connections now?",
    "Use `most` of the call if it isn't 0, and `concurrent` if it is."
  )(each(any("socket").map(call => call.copy(most = call.concurrent / some(2, 4))))(call => Threads("virtual", call.most)))
  trial("what computes: platform threads, one for each CPU, however many come")(
    "A carrier that computes serves nobody else. Which threads aren't carriers? And how many computations can go on simultaneously on this machine?",
    "`Threads(\"platform\", cpus)`: a separate pool leaves the carriers to those that wait. One more computation waits in its queue."
  )(each(any("computes").map(_.copy(most = 0)))(call => Threads("platform", call.cpus)))

  trial("waiting inside `synchronized`: it depends on the JDK")(
    "Look at the table of the ways to wait. Between which two JDKs does this row change?",
    "Since JDK 24 (JEP 491) a virtual thread that waits for a monitor leaves its carrier. Before, it doesn't."
  ) {
    waiting(Seq(21, 23, 24, 25).flatMap(jdk => any("synchronized").map(_.copy(jdk = jdk))))(letsGo = _.jdk >= 24)
  }
  trial("waiting for a pipe: platform threads, on any JDK")(
    "A read from a file occupies the carrier on every JDK. And a spare carrier is a platform thread, too.",
    "If the other side sets no limit, choose one: more than `cpus`, because these threads wait, and at most 1,000."
  )(waiting(Seq(21, 25).flatMap(jdk => any("file").map(_.copy(jdk = jdk))))(letsGo = _ => false))
  trial("waiting in native code: platform threads, on any JDK")(
    "What could take the frames of C code off a stack?"
  )(waiting(Seq(21, 25).flatMap(jdk => any("native").map(_.copy(jdk = jdk))))(letsGo = _ => false))

  /** The largest number of platform threads that the process gets, by the exercise's text. */
  private val mostPlatform = 1000

  /** Two calls, without and with a limit on the other side. More calls come than the process gets platform threads. */
  private def any(does: String): Seq[Call] = Random.shuffle(Seq(0, some(40, 60))).map { most =>
    Call(does, Seq(21, 25)(some(0, 1)), some(2, 32), some(mostPlatform + 100, 5000), most)
  }

  /** Expects virtual threads for calls that release their carrier, and platform threads for the others, as many as the other side takes. If
    * it takes any number, the answer is as many virtual threads as calls come, or a number of platform threads of the reader's choice.
    */
  private def waiting(calls: => Seq[Call])(letsGo: Call => Boolean)(answer: Call => Threads): Seen =
    firstWrong(calls.map { call =>
      val found = answer(call)
      val seen =
        if (letsGo(call)) Seen(Threads("virtual", if (call.most > 0) call.most else call.concurrent), found)
        else if (call.most > 0) Seen(Threads("platform", call.most), found)
        else {
          val sane = found.most > call.cpus && found.most <= mostPlatform
          either(found.threads == "platform" && sane, s"Threads(platform, more than ${call.cpus} and at most $mostPlatform)", s"$found")
            .hintIf(found.threads == "platform" && found.most > mostPlatform)(
              "If nobody sets a limit, you do. A thousand platform threads are all that there are."
            )
            .hintIf(found.threads == "platform" && found.most <= call.cpus)(
              "These calls wait, and don't compute, so they need no CPU meanwhile."
            )
        }
      seen.of(s"$call")
    })

  private def each(calls: => Seq[Call])(expected: Call => Threads)(answer: Call => Threads): Seen =
    firstWrong(calls.map(call => Seen(expected(call), answer(call)).of(s"$call")))
}

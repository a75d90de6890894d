package lab.measure

import java.util.concurrent.{ExecutionException, Executors, TimeUnit}

import scala.util.Using

/** Does several things simultaneously. */
object Together {

  /** Returns the same as `all.map(run)`, but makes the calls simultaneously, each on its own thread.
    *
    * @param most how many calls run simultaneously
    * @throws java.util.concurrent.TimeoutException if a call takes five minutes
    */
  def apply[A, B](all: Seq[A], most: Int = Int.MaxValue)(run: A => B): Seq[B] =
    Using.resource(Executors.newFixedThreadPool(all.size.min(most).max(1), Thread.ofPlatform.daemon.name("together-", 0).factory)) {
      threads =>
        val calls = all.map(one => threads.submit(() => run(one)))
        try calls.map(_.get(5, TimeUnit.MINUTES))
        catch { case failed: ExecutionException => throw failed.getCause }
        finally { val _ = threads.shutdownNow() }
    }
}

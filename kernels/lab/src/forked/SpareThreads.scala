package lab.forked

import java.util.concurrent.{CountDownLatch, TimeUnit}

import lab.process.Program

import scala.concurrent.{blocking, BlockContext, ExecutionContext, Future}

/** Shows what becomes of the threads that the global pool adds while tasks block. Twenty tasks wait inside `blocking`. Then they are woken,
  * and the pool has more threads than work. `-Dscala.concurrent.context.numThreads` sets its own size.
  *
  * Arguments: for how many seconds it is watched, and what the pool does meanwhile: `nothing`, `runs` (an extra task, begun before the
  * others wake, occupies its thread) or `ticks` (an empty task every second). It prints `0=`, how many threads the pool has while all wait.
  * Then it prints the number 500, 5,000 and 20,000 milliseconds after the last of them woke, and at the end, such as `500=`.
  *
  * It only uses what JDK 8 and Scala 2.11 have, even in its source. The pool of that version is a different class, which the library
  * contained.
  */
object SpareThreads extends Program {
  private val tasks = 20
  private val step = 500 // milliseconds

  def main(arguments: Array[String]): Unit = {
    val (seconds, meanwhile) = (Integer.parseInt(arguments(0)), arguments(1))
    val (asleep, alarm, awake) = (new CountDownLatch(tasks), new CountDownLatch(1), new CountDownLatch(tasks))
    var task = 0
    while (task < tasks) {
      Future {
        blocking {
          asleep.countDown()
          alarm.await()
        }
        awake.countDown()
      }(ExecutionContext.global)
      task += 1
    }
    // Submitted together with the naps. On JDK 8, a task that comes later gets no thread while all of them block.
    val begun = if (meanwhile == "runs") running(seconds + 20) else asleep
    until(asleep)
    until(begun)
    println(s"0=${threads()}")
    alarm.countDown()
    until(awake)
    watch(seconds * 1000, meanwhile == "ticks")
  }

  private def watch(length: Int, ticks: Boolean): Unit = {
    val woken = System.nanoTime
    var at = step
    while (at <= length) {
      TimeUnit.NANOSECONDS.sleep(woken + TimeUnit.MILLISECONDS.toNanos(at.toLong) - System.nanoTime)
      if (at == step || at == 10 * step || at == 40 * step || at == length) println(s"$at=${threads()}")
      if (ticks && at % 1000 == 0) { Future(())(ExecutionContext.global); () }
      at += step
    }
  }

  /** Starts a task that occupies a thread for the given number of seconds. */
  private def running(seconds: Int): CountDownLatch = {
    val begun = new CountDownLatch(1)
    Future {
      begun.countDown()
      TimeUnit.SECONDS.sleep(seconds.toLong)
    }(ExecutionContext.global)
    begun
  }

  /** Returns how many threads `blocking` notifies. These are all threads of the global pool, and no others. */
  private def threads(): Int = {
    val all = Thread.getAllStackTraces.keySet.iterator
    var found = 0
    while (all.hasNext) if (all.next().isInstanceOf[BlockContext]) found += 1
    found
  }

  private def until(reached: CountDownLatch): Unit =
    if (!reached.await(20, TimeUnit.SECONDS)) throw new IllegalStateException("the tasks didn't get that far in 20 s")
}

package lab.magic.jmh

import lab.results.JmhResults
import lab.show.{ProgressLine, Say}

import scala.concurrent.duration._

/** One line under the cell that says how far the run is and how long it takes yet. Used from the cell's thread. */
private[jmh] final class RunLine {
  private val line = new ProgressLine("%%jmh")
  private var progress = RunProgress()
  private var place = ""
  private var heardAt = System.nanoTime
  private var planned = Option.empty[FiniteDuration]
  private var runsAfter = 0
  private var share = (0, 1)

  /** For the time before JMH runs. */
  def compiling: ProgressLine = line

  def hear(where: Option[String], index: Int, runs: Int): String => Unit = {
    place = where.fold("")(_ + ": ")
    progress = RunProgress()
    runsAfter = runs - index - 1
    share = (index, runs)
    line => {
      val next = progress.see(line)
      if (next.left != progress.left) heardAt = System.nanoTime
      if (next != progress) { progress = next; planned = planned.orElse(next.left); tick() }
    }
  }

  def tick(): Unit = put(place + progress.place, left.fold("")(time => s", about ${seconds(time)} left"))

  def done(results: JmhResults): Unit = {
    share = (1, 1)
    progress = RunProgress()
    put(s"${Say.count(results.scores.size, "benchmark")} measured in ${seconds(line.elapsed)}")
  }

  private def left: Option[FiniteDuration] = progress.left.orElse(planned).map { time =>
    val now = (time - (System.nanoTime - heardAt).nanos).max(Duration.Zero)
    now + planned.getOrElse(Duration.Zero) * runsAfter.toLong
  }

  private def put(words: String, more: String = ""): Unit = line.say(words + more, Some((share._1 + progress.percent / 100) / share._2))

  private def seconds(time: FiniteDuration): String =
    if (time < 90.seconds) s"${time.toSeconds} s" else s"${time.toSeconds / 60} min ${time.toSeconds % 60} s"
}

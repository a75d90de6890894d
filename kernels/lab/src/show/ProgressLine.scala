package lab.show

import scala.concurrent.duration._

/** One line under the running cell, `what: words`, which the next replaces. Use it from the cell's thread. */
private[lab] final class ProgressLine(what: String) {
  private val began = System.nanoTime
  private var shown = Option.empty[Display.Handle]
  private var changed = began

  def elapsed: FiniteDuration = (System.nanoTime - began).nanos

  /** Returns the time since the line was made, to tenths of a second. */
  def time: String = s"${elapsed.toMillis / 100 / 10.0} s"

  /** Replaces the line's words.
    *
    * @param done the finished share, from 0 to 1, for a bar in front of the words
    */
  def say(words: String, done: Option[Double] = None): Unit = put(s"$what: $words", done)

  /** Replaces the line's words at most twice a second, so anything that takes less time shows nothing. */
  def tick(words: => String): Unit = if (System.nanoTime - changed > ProgressLine.pause.toNanos) say(words)

  /** Replaces the line with `text`, if it was shown. */
  def end(text: String): Unit = if (shown.nonEmpty) put(text, None)

  private def put(text: String, done: Option[Double]): Unit = {
    changed = System.nanoTime
    val bar = done.map(share => "text/html" -> s"""<progress max="1" value="$share"></progress> ${Markup.escape(text)}""")
    val bundle = Map("text/plain" -> text) ++ bar
    shown match {
      case Some(line) => line.update(bundle)
      case None       => shown = Some(Display.updatable(bundle))
    }
  }
}

private[lab] object ProgressLine {

  /** How often a long operation updates its line. */
  val pause: FiniteDuration = 500.millis
}

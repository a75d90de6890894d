package lab.show

import scala.concurrent.duration._

/** One line under the running cell, `what: words`, that is replaced by the next. Used from the cell's thread. */
private[lab] final class ProgressLine(what: String) {
  private val began = System.nanoTime
  private var shown = Option.empty[Display.Handle]
  private var changed = began

  def elapsed: FiniteDuration = (System.nanoTime - began).nanos

  /** How long it is since the line was made, to tenths of a second. */
  def time: String = s"${elapsed.toMillis / 100 / 10.0} s"

  /** @param done the share that is done, from 0 to 1, for a bar in front of the words */
  def say(words: String, done: Option[Double] = None): Unit = put(s"$what: $words", done)

  /** As [[say]], but twice a second at most, so for what takes less it says nothing. */
  def tick(words: => String): Unit = if (System.nanoTime - changed > ProgressLine.pause.toNanos) say(words)

  /** Puts `text` in the line's place, if there is one by now. */
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

  /** How often what takes longer is worth a new line. */
  val pause: FiniteDuration = 500.millis
}

package lab

import scala.concurrent.duration._

/** One line under the running cell, `what: words`, that is replaced by the next. Used from the cell's thread. */
private[lab] final class StatusLine(what: String) {
  private val began = System.nanoTime
  private var handle = Option.empty[Display.Handle]

  /** How long it is since the line was made, to tenths of a second. */
  def time: String = s"${(System.nanoTime - began).nanos.toMillis / 100 / 10.0} s"

  def say(words: String): Unit = {
    val bundle = Map("text/plain" -> s"$what: $words")
    handle match {
      case Some(shown) => shown.update(bundle)
      case None        => handle = Some(Display.updatable(bundle))
    }
  }
}

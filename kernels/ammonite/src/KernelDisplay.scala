package ammonite.course

import java.util.concurrent.atomic.AtomicLong

import com.google.gson.JsonParser
import org.dflib.jjava.jupyter.kernel.display.DisplayData
import org.dflib.jjava.jupyter.messages.{Message, MessageContext}
import org.dflib.jjava.jupyter.messages.publish.{PublishClearOutput, PublishDisplayData}

/** The lab's door into this kernel. Thread-safe; what comes while no cell has run yet is dropped. */
final class KernelDisplay(outbox: Outbox, current: () => Option[MessageContext]) extends lab.show.Display {
  private val lines = new AtomicLong

  def show(bundle: Map[String, String], id: Option[String]): Unit = current().foreach { cell =>
    val data = dataOf(bundle)
    id.foreach(data.setDisplayId)
    outbox.sendMessage(new Message(cell, PublishDisplayData.MESSAGE_TYPE, new PublishDisplayData(data)))
  }

  def update(bundle: Map[String, String], id: String): Unit = current().foreach(outbox.update(_, id, dataOf(bundle)))

  def clear(wait: Boolean): Unit = current().foreach { cell =>
    val message = if (wait) PublishClearOutput.BEFORE_NEXT_OUTPUT else PublishClearOutput.NOW
    outbox.sendMessage(new Message(cell, PublishClearOutput.MESSAGE_TYPE, message))
  }

  /** Shows a line of text and returns what replaces it. */
  def line(text: String): String => Unit = {
    val id = s"line-${lines.incrementAndGet()}"
    show(Map("text/plain" -> text), Some(id))
    next => update(Map("text/plain" -> next), id)
  }

  private def dataOf(bundle: Map[String, String]): DisplayData = {
    val data = new DisplayData
    bundle.foreach { case (mime, text) => data.putData(mime, if (mime.endsWith("json")) JsonParser.parseString(text) else text) }
    data
  }
}
